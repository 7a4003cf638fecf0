import { expect, test } from "vitest";
import { isLocalEndpoint } from "./local-endpoint.ts";

test.each([
  ["http://localhost:11434/v1", true],
  ["http://127.0.0.1:1234/v1", true],
  ["http://[::1]:8080", true],
  ["http://10.1.2.3/v1", true],
  ["http://172.16.0.9/v1", true],
  ["http://172.32.0.9/v1", false],
  ["http://192.168.1.20:8000/v1", true],
  ["http://100.100.1.1/v1", true],
  ["http://[fd12::1]/v1", true],
  ["http://[::ffff:10.0.0.1]/v1", true],
  ["http://nas.local/v1", true],
  ["http://ollama:11434/v1", true],
  ["https://api.deepseek.com/v1", false],
  ["https://10.example.com/v1", false],
  ["https://localhost.example.com/v1", false],
  ["http://8.8.8.8/v1", false],
  ["nonsense", false],
])("R-TIME-3 local or not: %s", (url, local) => {
  expect(isLocalEndpoint(url)).toBe(local);
});
