# Completion of evenhand for fish.  The program says what fits (evenhand complete).
function __evenhand_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    $words[1] complete -- $words "$last" 2>/dev/null
    test $status -ne 10; or __fish_complete_path "$last"
end
complete -c evenhand -f -k -a '(__evenhand_complete)'
