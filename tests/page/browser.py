# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium over its debugging pipe (Chrome DevTools Protocol): opens pages as a reader
would, and notes every error, console message and request.  Needs nothing but Python's library."""
import base64, json, os, shutil, subprocess, sys, tempfile, time


def program():
    """The browser's path, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        down_read, self.down = os.pipe()
        self.up, up_write = os.pipe()

        def as_3_and_4():
            a, b = os.dup(down_read), os.dup(up_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + self.profile.name, "about:blank"],
            preexec_fn=as_3_and_4, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down_read)
        os.close(up_write)
        self.number, self.rest, self.events = 0, b"", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.page(domain + ".enable")

    def close(self):
        try:
            self.call("Browser.close")
        except EOFError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    # ---- messages

    def receive(self):
        while b"\0" not in self.rest:
            got = os.read(self.up, 1 << 20)
            if not got:
                raise EOFError("the browser has ended")
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.down, json.dumps(message).encode() + b"\0")
        while True:
            got = self.receive()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(method + ": " + got["error"]["message"])
                return got["result"]
            self.events.append(got)

    def page(self, method, **parameters):
        return self.call(method, session=self.session, **parameters)

    # ---- what a reader does

    def open(self, path, width=1280, height=900, dark=False, scripts=True):
        """Loads a file and returns the seconds until its first paint."""
        self.events.clear()
        self.page("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        self.page("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.page("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.page("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def run(self, script):
        """The value of an expression on the page; a promise is awaited."""
        got = self.page("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(script + ": " + json.dumps(got["exceptionDetails"])[:400])
        return got["result"].get("value")

    def until(self, script, seconds=10):
        end = time.time() + seconds
        while time.time() < end:
            if self.run(script):
                return True
            time.sleep(0.05)
        return False

    def key(self, key):
        text = key if len(key) == 1 else ""
        self.page("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.page("Input.dispatchKeyEvent", type="keyUp", key=key)

    def move(self, x, y):
        self.page("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, path, whole=False):
        got = self.page("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as out:
            out.write(base64.b64decode(got["data"]))

    # ---- what the page did

    def requests(self):
        """Addresses that were asked for, but for the page's own and data: ones."""
        urls = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [u for u in urls[1:] if not u.startswith("data:")]

    def errors(self):
        found = []
        for e in self.events:
            p = e.get("params", {})
            if e.get("method") == "Runtime.exceptionThrown":
                found.append(p["exceptionDetails"].get("exception", {}).get("description", str(p)))
            elif e.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append(p["entry"]["text"])
            elif e.get("method") == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning"):
                found.append(str(p["args"]))
        return found


WIDE = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
checks = []


def check(good, text, detail=""):
    checks.append(bool(good))
    print("%s %d - %s" % ("ok" if good else "not ok", len(checks), text), flush=True)
    if not good:
        print(detail, file=sys.stderr)


def finish():
    """The plan; pictures go to EVENHAND_PICTURES where that is set; returns the exit status."""
    keep = os.environ.get("EVENHAND_PICTURES")
    if keep:
        os.makedirs(keep, exist_ok=True)
        for name in os.listdir("."):
            if name.endswith(".png"):
                shutil.copy(name, keep)
    print("1..%d" % len(checks))
    return 0 if all(checks) else 1
