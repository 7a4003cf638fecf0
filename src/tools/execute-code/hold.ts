import { PURE_NODE, READS_FILES } from "./judge-script.ts";

/**
 * Runs in a held JavaScript script before its own code. Node's `--permission` keeps it from files and programs, but (before Node 25) neither from
 * the network nor from other processes. Every connection of Node, whoever makes it, goes through the prototypes that are closed here. No reference
 * to what is closed is kept where a script could reach it.
 */
export const JAVASCRIPT_HOLD = `
const refuse = (what) => () => {
  const message = "a script that was not approved may not " + what + "; use tools.terminal";
  throw Object.assign(new Error(message), { code: "ERR_ACCESS_DENIED" });
};
const close = (owner, names, what) => {
  for (const name of names)
    if (name in owner) Object.defineProperty(owner, name, { value: refuse(what), writable: false, configurable: false });
};
const hold = () => {
  const network = "use the network";
  close(net.Socket.prototype, ["connect"], network);
  close(net.Server.prototype, ["listen"], network);
  close(dgram.Socket.prototype, ["bind", "connect", "send"], network);
  close(globalThis, ["fetch", "WebSocket", "EventSource"], network);
  close(Object.getPrototypeOf(channel._handle), ["bind", "listen", "connect"], network);
  const processes = "reach other processes";
  close(process, ["kill", "_kill", "_debugProcess", "dlopen", "binding", "_linkedBinding"], processes);
  // Only operators from here on: a script may replace the methods of strings and patterns.
  const refused = Object.create(null);
  const allowed = [${PURE_NODE}, ${READS_FILES}];
  for (const name of builtinModules)
    if (!allowed.some((pattern) => pattern.test(name))) refused[name] = refused["node:" + name.replace(/^node:/, "")] = true;
  const check = (name) => {
    if (name in refused) refuse("load " + name)();
    return name;
  };
  const load = process.getBuiltinModule;
  const value = (name) => load(check("" + name));
  Object.defineProperty(process, "getBuiltinModule", { value, writable: false, configurable: false });
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      check(found.url);
      return found;
    },
  });
};
`;

/** Events of Python's audit that a held script may not cause: whatever starts programs, changes files, or leaves the machine. */
const EVENTS = [
  "os.system",
  "os.exec",
  "os.fork",
  "os.forkpty",
  "os.posix_spawn",
  "os.spawn",
  "os.startfile",
  "os.kill",
  "os.killpg",
  "os.remove",
  "os.rename",
  "os.mkdir",
  "os.rmdir",
  "os.link",
  "os.symlink",
  "os.truncate",
  "os.chmod",
  "os.chown",
  "os.chflags",
  "os.utime",
  "os.setxattr",
  "os.removexattr",
  "os.putenv",
  "pty.spawn",
  "subprocess.Popen",
  "shutil.rmtree",
  "shutil.move",
  "socket.connect",
  "socket.bind",
  "socket.sendto",
  "socket.sendmsg",
  "socket.getaddrinfo",
  "urllib.Request",
  "ctypes.dlopen",
  "ctypes.dlsym",
  "sqlite3.connect",
  "signal.pthread_kill",
  "mmap.__new__",
  "code.__new__",
  "cpython._PySys_ClearAuditHooks",
  "cpython.PyInterpreterState_New",
];

/** Modules that can do such things without an event. */
const MODULES = [
  "_posixsubprocess",
  "_ctypes",
  "ctypes",
  "_multiprocessing",
  "_posixshmem",
  "_xxsubinterpreters",
  "_interpreters",
  "_testcapi",
  "_testinternalcapi",
  "_dbm",
  "_gdbm",
  "_sqlite3",
  "_tkinter",
  "mmap",
  "readline",
  "syslog",
  "resource",
];

/** Calls of modules that are always there, and that cause no event. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  posix: ["mkfifo", "mknod", "setpriority", "pidfd_open", "chroot", "sched_setaffinity", "sched_setscheduler"],
  os: ["mkfifo", "mknod", "setpriority", "pidfd_open", "chroot", "sched_setaffinity", "sched_setscheduler"],
  _signal: ["pidfd_send_signal"],
  _posixsubprocess: ["fork_exec"],
  gc: ["get_objects", "get_referrers", "get_referents"],
};

/**
 * Defines `_hold()`, after which a Python script is held. The hook looks nothing up by name while it works, because the script shares the builtins; what
 * causes no event is replaced, and can't be had anew.
 */
export const PYTHON_HOLD = `
def _hold():
    import _imp, importlib
    def refuse(*given, **named):
        raise PermissionError("a script that was not approved may not do this; use tools.terminal")
    for name in sys.builtin_module_names:
        try:
            importlib.import_module(name)
        except Exception:
            pass
    for name, calls in json.loads('${JSON.stringify(CALLS)}').items():
        module = sys.modules.get(name)
        for each in calls:
            if module is not None and hasattr(module, each):
                setattr(module, each, refuse)
    _imp.create_builtin = refuse
    events = frozenset(json.loads('${JSON.stringify(EVENTS)}'))
    modules = frozenset(json.loads('${JSON.stringify(MODULES)}'))
    for name in modules:
        sys.modules.pop(name, None)
    changes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    def hook(event, args, kind=type, integer=int, text=str, error=PermissionError):
        if event == "open":
            path, mode, flags = args
            if kind(path) is integer:
                return
            if kind(mode) is text and ("w" in mode or "a" in mode or "x" in mode or "+" in mode) or flags & changes:
                raise error("a script that was not approved may not write files; use tools.write_file")
        elif event == "import":
            file = args[1]
            names = (args[0].rpartition(".")[2], file.rpartition("/")[2].partition(".")[0] if kind(file) is text else "")
            if names[0] in modules or names[1] in modules:
                raise error("a script that was not approved may not import " + names[0] + "; use tools.terminal")
        elif event in events:
            raise error("a script that was not approved may not do this (" + event + "); use tools.terminal")
    sys.addaudithook(hook)
`;
