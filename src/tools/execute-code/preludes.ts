import { SCRIPT_TOOLS } from "./execute-code.ts";
import { JAVASCRIPT_HOLD, PYTHON_HOLD } from "./hold.ts";

const NAMES = JSON.stringify(SCRIPT_TOOLS);

/** Environment variable that tells the prelude where the script is. */
export const SCRIPT_VARIABLE = "HERMES_SCRIPT";
/** Environment variable by which a script runs held. */
export const HELD_VARIABLE = "HERMES_SCRIPT_HELD";

/**
 * Runs before a JavaScript script: gives it `tools`, whose functions send a line over descriptor 3 and wait for its answer. The channel does
 * not keep the script alive by itself, an open call does.
 */
export const JAVASCRIPT_PRELUDE = `
import dgram from "node:dgram";
import net from "node:net";
import { builtinModules, createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
const script = process.env.${SCRIPT_VARIABLE};
const isHeld = process.env.${HELD_VARIABLE} === "1";
delete process.env.${SCRIPT_VARIABLE};
delete process.env.${HELD_VARIABLE};
const channel = new net.Socket({ fd: 3, readable: true, writable: true });
const waiting = new Map();
let count = 0;
let buffer = "";
channel.setEncoding("utf8");
channel.on("data", (text) => {
  buffer += text;
  const lines = buffer.split("\\n");
  buffer = lines.pop();
  for (const line of lines) {
    const answer = JSON.parse(line);
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) channel.unref();
    if (call === undefined) continue;
    if (answer.ok) call.resolve(answer.text);
    else call.reject(new Error(answer.text));
  }
});
channel.on("error", () => process.exit(1));
channel.on("end", () => process.exit(1));
channel.unref();
const call = (tool, args = {}) =>
  new Promise((resolve, reject) => {
    count += 1;
    waiting.set(count, { resolve, reject });
    channel.ref();
    channel.write(JSON.stringify({ id: count, tool, args }) + "\\n");
  });
const tools = Object.freeze(Object.fromEntries(${NAMES}.map((name) => [name, (args) => call(name, args)])));
Object.defineProperty(globalThis, "tools", { value: tools });
globalThis.require ??= createRequire(process.cwd() + "/");
${JAVASCRIPT_HOLD}
if (isHeld) hold();
await import(pathToFileURL(script).href);
`;

/** The same for Python; also as the module `hermes_tools`. A held script's audit hook cannot be taken off again. */
export const PYTHON_PRELUDE = `
import io, json, os, socket, sys, threading, types
_script = os.environ.pop("${SCRIPT_VARIABLE}")
_held = os.environ.pop("${HELD_VARIABLE}", "") == "1"
_names = json.loads('${NAMES}')

def _make():
    channel = socket.socket(fileno=3)
    stream = channel.makefile("r", encoding="utf-8", newline="\\n")
    lock = threading.Lock()
    state = {"count": 0}
    def call(tool, args):
        with lock:
            state["count"] += 1
            frame = json.dumps({"id": state["count"], "tool": tool, "args": args}) + "\\n"
            channel.sendall(frame.encode("utf-8"))
            line = stream.readline()
        if not line:
            os._exit(1)
        answer = json.loads(line)
        if not answer["ok"]:
            raise RuntimeError(answer["text"])
        return answer["text"]
    def define(name):
        def tool(*given, **args):
            if given:
                args = {**given[0], **args}
            return call(name, args)
        tool.__name__ = name
        return tool
    module = types.ModuleType("hermes_tools")
    for name in _names:
        setattr(module, name, define(name))
    return module

tools = _make()
sys.modules["hermes_tools"] = tools
sys.dont_write_bytecode = True
if sys.path and sys.path[0] == os.path.dirname(os.path.abspath(sys.argv[0])):
    sys.path[0] = os.getcwd()
sys.argv = [_script]
with io.open_code(_script) as _file:
    _code = compile(_file.read(), "script.py", "exec")

${PYTHON_HOLD}
if _held:
    _hold()
del _hold, _held, _make

exec(_code, {"__name__": "__main__", "__file__": "script.py", "__builtins__": __builtins__, "tools": tools})
`;
