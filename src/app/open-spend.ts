import { messageOf } from "../base/app-error.ts";
import { fileStamp } from "../base/file-stamp.ts";
import { loadConfig } from "../config/load.ts";
import { createCalendar, type Calendar } from "../llm/spend/calendar.ts";
import type { SpendCaps } from "../llm/spend/caps.ts";
import { createSpendLedger } from "../llm/spend/create-spend-ledger.ts";
import type { SpendLedger } from "../llm/spend/spend-ledger.ts";
import { spendInsights, spendStatus, type InsightsReport, type PeriodUse } from "../llm/spend/spend-status.ts";
import type { App } from "./app.ts";

/** What calls of models take in one home. The database is opened with the first question. */
export interface Spending {
  readonly ledger: () => Promise<SpendLedger>;
  /** The caps that hold now. */
  readonly caps: () => SpendCaps;
  /** What is spent so far: of the session, the day, the month. */
  status(session?: string): Promise<readonly PeriodUse[]>;
  insights(request: { readonly days: number; readonly source?: string | undefined }): Promise<InsightsReport>;
}

/** Throws `config.bad_value` for a cap that is none: it must not pass for "no cap". */
export const openSpending = (app: App): Spending => {
  const caps = followCaps(app);
  const { clock } = app;
  const zone = app.config.section("timezone");
  // Formatting dates costs some milliseconds to begin with, which a start must not wait for.
  let calendar: Calendar | undefined;
  const deps = async () => {
    calendar ??= createCalendar(zone);
    return { book: (await app.store()).spend, calendar, clock, now: clock.now() };
  };
  return {
    caps,
    ledger: async () => createSpendLedger({ ...(await deps()), caps }),
    status: async (session) => await spendStatus({ ...(await deps()), caps: caps(), session }),
    insights: async (request) => await spendInsights(await deps(), request),
  };
};

/**
 * The caps as config.yaml has them now: one that is raised or set while a long session runs holds with its next call. A file
 * that is broken meanwhile changes nothing.
 */
const followCaps = (app: App): (() => SpendCaps) => {
  let caps: SpendCaps = app.config.section("budget");
  if (app.config.section("environment").ignore_user_config) return () => caps;
  let seen = fileStamp(app.paths.config);
  return () => {
    const stamp = fileStamp(app.paths.config);
    if (stamp === seen) return caps;
    seen = stamp;
    try {
      caps = loadConfig({ home: app.home, environment: app.environment }).section("budget");
    } catch (error) {
      app.log.warn("the budgets stay as they were: the settings cannot be read", { reason: messageOf(error) });
    }
    return caps;
  };
};
