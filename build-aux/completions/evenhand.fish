# Completion of evenhand for fish.  share/evenhand/completion.sh, which is installed with it, knows
# what fits.
set -g __evenhand_helper (path resolve (status dirname)/../../evenhand/completion.sh)
function __evenhand_complete
    set -l last (commandline -ct)
    sh $__evenhand_helper (commandline -opc) "$last"
    test $status -ne 10; or __fish_complete_path "$last"
end
complete -c evenhand -f -k -a '(__evenhand_complete)'
