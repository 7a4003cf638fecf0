import { appendFileSync, readFileSync } from "node:fs";
import { scriptFile, type RecordedRequest } from "./script.ts";
import { startScriptedProvider } from "./scripted-provider.ts";

/**
 * The scripted provider as a program for end-to-end tests:
 * `node src/testing/scripted-provider/main.ts script.json [requests.jsonl]`
 * plays the script's answers (`script.ts` describes them), prints `{"port":…,"baseUrl":…}` when it listens, and appends
 * each request as one line to the second file. The last answer is repeated when the script is over. Runs until it is ended.
 */
const [scriptPath, requestsPath] = process.argv.slice(2);
if (scriptPath === undefined) {
  process.stderr.write("usage: main.ts script.json [requests.jsonl]\n");
  process.exitCode = 2;
} else {
  const answers = scriptFile.parse(JSON.parse(readFileSync(scriptPath, "utf8")));
  const record = (request: RecordedRequest): void => {
    if (requestsPath !== undefined) appendFileSync(requestsPath, `${JSON.stringify(request)}\n`);
  };
  const recorded = answers.map((answer) => (request: RecordedRequest) => {
    record(request);
    return answer;
  });
  const provider = await startScriptedProvider(...recorded);
  const last = recorded.at(-1);
  if (last !== undefined) provider.answerAlways(last);
  const stop = (): void => void provider.close();
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  process.stdout.write(`${JSON.stringify({ port: provider.port, baseUrl: provider.baseUrl })}\n`);
}
