import { group, optionalAmount, optionalCount } from "./field.ts";

const dollars = (over: string) => optionalAmount({ doc: `Most US dollars that calls of models may cost ${over}.` });
const tokens = (over: string) =>
  optionalCount({ doc: `Most tokens that calls of models may use ${over}, in and out.` });

const DAY = "in one day, from midnight to midnight of your time zone";
const MONTH = "in one calendar month";
const SESSION = "in one session, with what it continues";
const JOB = "in one scheduled job, over all its runs";

/** `budget`: hard caps (R-MONEY-2). A wrong one stops every call; it is never taken for none. */
export const budgetSection = group(
  {
    day_usd: dollars(DAY),
    day_tokens: tokens(DAY),
    month_usd: dollars(MONTH),
    month_tokens: tokens(MONTH),
    session_usd: dollars(SESSION),
    session_tokens: tokens(SESSION),
    job_usd: dollars(JOB),
    job_tokens: tokens(JOB),
  },
  { doc: "Hard caps on what calls of models may take; absent = none. `hermes budget` sets and shows them." },
);
