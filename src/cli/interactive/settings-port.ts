import type { Conversation } from "../../app/conversation/conversation.ts";
import type { DisplaySettings } from "../../commands/display-settings.ts";
import type { SettingsPort, ToolInfo } from "../../commands/ports.ts";
import type { Tool } from "../../agent/tool.ts";
import { setKey } from "../../config/edit.ts";
import { showSource, showValue } from "../commands/config/words.ts";

/** `/config`, `/tools`, `/yolo` and the display's settings over a conversation. */
export const createSettingsPort = (conversation: Conversation, initial: DisplaySettings): SettingsPort => {
  const { app } = conversation;
  let display: DisplaySettings = initial;
  let isConfirming = app.config.section("approvals").destructive_slash_confirm;
  return {
    display: () => display,
    changeDisplay: (change) => {
      display = { ...display, ...change };
    },
    yolo: () => conversation.session().approvals.yolo(),
    setYolo: (on) => conversation.session().approvals.setYolo(on),
    confirmsDestructive: () => isConfirming,
    stopConfirmingDestructive: async () => {
      await setKey({ home: app.home, clock: app.clock }, "approvals.destructive_slash_confirm", "false");
      isConfirming = false;
    },
    rows: async (prefix) =>
      app.config
        .settings()
        .filter((setting) => setting.key.startsWith(prefix))
        .map((setting) => ({ key: setting.key, value: showValue(setting), from: showSource(setting) })),
    tools: () => toolInfos(conversation),
  };
};

const toolInfos = (conversation: Conversation): readonly ToolInfo[] => {
  const { resident, onDemand } = conversation.session().grant;
  const describe = (tool: Tool, isResident: boolean): ToolInfo => ({
    name: tool.name,
    toolset: tool.toolset,
    resident: isResident,
    description: tool.description,
  });
  return [
    ...resident.map((tool) => describe(tool, true)),
    ...onDemand.flatMap((toolset) => toolset.tools.map((tool) => describe(tool, false))),
  ];
};
