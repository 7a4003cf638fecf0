/** How Copilot's services know an editor; without them they refuse. */
export const COPILOT_EDITOR_HEADERS: Readonly<Record<string, string>> = {
  "editor-version": "vscode/1.104.1",
  "editor-plugin-version": "copilot-chat/0.26.7",
  "user-agent": "GitHubCopilotChat/0.26.7",
  "copilot-integration-id": "vscode-chat",
};
