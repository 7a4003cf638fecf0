import type { App } from "../../app/app.ts";
import type { OpenSession } from "../../app/open-session.ts";
import type { SessionRequest } from "../../app/session-request.ts";
import { notBuiltNotice } from "../../config/not-built-notice.ts";
import type { ChatNotification } from "../chat/chat-session.ts";
import { showProblem } from "../commands/config/words.ts";

export interface StartFacts {
  readonly app: App;
  readonly request: SessionRequest;
  readonly session: OpenSession;
  /** The home belonged to the Python system when this start found it. */
  readonly wasPythonHome: boolean;
}

/** What a person should know when the chat begins, the most important first. */
export const startNotices = async (facts: StartFacts): Promise<readonly ChatNotification[]> => [
  ...practiceNotice(facts),
  ...followedNotice(facts),
  ...pythonNotice(facts),
  ...settingsNotices(facts),
  ...allowlistNotice(facts),
  ...promptNotices(facts),
  ...(await notBuilt(facts)),
];

const practiceNotice = ({ session, request }: StartFacts): readonly ChatNotification[] => {
  if (session.model.info.wire !== "practice") return [];
  const resolution = session.models.resolve({ model: request.model, provider: request.provider });
  if (resolution.kind !== "none") return [];
  return [
    {
      tone: "warning",
      text: [
        "No model is configured: the built-in practice model answers. It follows simple requests and thinks nothing.",
        "`hermes auth add PROVIDER` takes a key or signs in, `hermes model` chooses the model; `hermes doctor` looks at the rest.",
      ].join("\n"),
    },
  ];
};

const followedNotice = ({ session }: StartFacts): readonly ChatNotification[] =>
  session.followed === null
    ? []
    : [{ tone: "info", text: `Session ${session.followed} was compressed; this is its newest one.` }];

const pythonNotice = ({ app, wasPythonHome }: StartFacts): readonly ChatNotification[] =>
  wasPythonHome
    ? [
        {
          tone: "info",
          text: `${app.home.path} belongs to the Python system: its settings are used in place, its state.db is only read. Conversations are kept in hermes.db from now on.`,
        },
      ]
    : [];

const MOST_PROBLEMS = 5;

const settingsNotices = ({ app }: StartFacts): readonly ChatNotification[] => {
  const problems = app.config.problems.flatMap((problem): ChatNotification[] =>
    problem.severity === "notice"
      ? []
      : [
          {
            tone: problem.severity,
            text: showProblem(problem)
              .trimEnd()
              .replace(/^\w+: /, ""),
          },
        ],
  );
  const left = problems.length - MOST_PROBLEMS;
  if (left <= 0) return problems;
  const more = `… and ${left} more: \`hermes config check\` lists them.`;
  return [...problems.slice(0, MOST_PROBLEMS), { tone: "warning", text: more }];
};

const allowlistNotice = ({ session }: StartFacts): readonly ChatNotification[] => {
  const { unusableEntries: entries } = session.approvals;
  if (entries.length === 0) return [];
  const named = entries.map((entry) => `"${entry}"`).join(", ");
  return [
    { tone: "warning", text: `command_allowlist: this version cannot use ${named}; such commands are asked about.` },
  ];
};

/** What was left out of the system prompt: a file that nobody reads must not look as if it were followed (B57). */
const promptNotices = ({ session }: StartFacts): readonly ChatNotification[] =>
  session.notices.map(({ message }) => ({ tone: "warning", text: message }));

const notBuilt = async ({ app }: StartFacts): Promise<readonly ChatNotification[]> => {
  const text = await notBuiltNotice({ home: app.home, clock: app.clock, problems: app.config.problems });
  return text === undefined ? [] : [{ tone: "info", text }];
};
