import { assert, boolean, constantFrom, integer, option, property, record, string, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import { noUsage, type SkillUsage } from "../skill-usage.ts";
import {
  isDue,
  lastActivity,
  planCuration,
  type CuratedSkill,
  type DueFacts,
  type SkillOrigin,
} from "./curator-policy.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 11, 1);
const TIMES = { staleAfterDays: 30, archiveAfterDays: 90 };

const ago = (days: number): string => new Date(NOW - days * DAY).toISOString();
const skill = (usage: Partial<SkillUsage>, origin: SkillOrigin = "agent"): CuratedSkill => ({
  name: "tide",
  origin,
  usage: { ...noUsage(), ...usage },
});
const verdict = (usage: Partial<SkillUsage>, origin?: SkillOrigin): string => {
  const { steps, kept } = planCuration([skill(usage, origin)], TIMES, NOW);
  return steps[0]?.kind ?? kept[0]?.because ?? "nothing";
};

test.each([
  [29, "used"],
  [30, "mark_stale"],
  [89, "mark_stale"],
  [90, "archive"],
  [4000, "archive"],
])("a skill of the agent that was used %i days ago: %s", (days, expected) => {
  expect(verdict({ last_used_at: ago(days) })).toBe(expected);
});

test("whatever happened last counts: using, reading, changing, making, restoring", () => {
  for (const member of ["last_used_at", "last_viewed_at", "last_patched_at", "created_at", "restored_at"]) {
    expect(verdict({ last_used_at: ago(200), last_viewed_at: ago(200), [member]: ago(1) })).toBe("used");
  }
});

test("pinned, installed and hand-written skills are never touched, nor one of which nothing is known", () => {
  const old = { last_used_at: ago(400) };
  expect(verdict({ ...old, pinned: true })).toBe("pinned");
  expect(verdict(old, "installed")).toBe("not_made_by_agent");
  expect(verdict(old, "yours")).toBe("not_made_by_agent");
  expect(verdict({})).toBe("no_dates");
});

test("a stale one is not marked twice, and is active again when it is used", () => {
  expect(verdict({ last_used_at: ago(40), state: "stale" })).toBe("stale_already");
  expect(verdict({ last_used_at: ago(1), state: "stale" })).toBe("mark_active");
});

test("a time in the future is a wrong clock's and archives nothing; archiving never comes before stale", () => {
  expect(verdict({ last_used_at: ago(-500) })).toBe("used");
  const times = { staleAfterDays: 60, archiveAfterDays: 10 };
  expect(planCuration([skill({ last_used_at: ago(30) })], times, NOW).steps).toEqual([]);
  expect(planCuration([skill({ last_used_at: ago(60) })], times, NOW).steps).toMatchObject([{ kind: "archive" }]);
});

test("every skill gets exactly one verdict, and only unpinned ones of the agent are archived (property)", () => {
  const time = option(integer({ min: -1000, max: 1000 }).map(ago), { nil: null });
  const any = record({
    name: string({ minLength: 1 }),
    origin: constantFrom<SkillOrigin>("agent", "installed", "yours"),
    usage: record({
      last_used_at: time,
      created_at: time,
      pinned: boolean(),
      state: constantFrom("active", "stale", "archived"),
    }).map((usage) => ({ ...noUsage(), ...usage })),
  });
  assert(
    property(uniqueArray(any, { selector: ({ name }) => name }), (skills) => {
      const { steps, kept } = planCuration(skills, TIMES, NOW);
      expect([...steps, ...kept].map(({ name }) => name).toSorted()).toEqual(skills.map(({ name }) => name).toSorted());
      for (const { name, kind } of steps) {
        const found = skills.find((each) => each.name === name);
        expect(found?.origin).toBe("agent");
        expect(found?.usage.pinned).toBe(false);
        const days = (NOW - (lastActivity(found?.usage ?? noUsage()) ?? NOW)) / DAY;
        if (kind === "archive") expect(days).toBeGreaterThanOrEqual(90);
      }
    }),
  );
});

const facts = (more: Partial<DueFacts>): DueFacts => ({
  isEnabled: true,
  isPaused: false,
  lastRunAt: NOW - 8 * DAY,
  lastUseAt: NOW - DAY,
  intervalMs: 7 * DAY,
  minIdleMs: DAY / 12,
  now: NOW,
  ...more,
});

test.each([
  [{}, "due"],
  [{ isEnabled: false }, "disabled"],
  [{ isPaused: true }, "paused"],
  [{ lastRunAt: undefined }, "first"],
  [{ lastRunAt: NOW + DAY }, "first"],
  [{ lastRunAt: NOW - 7 * DAY + 1 }, "interval"],
  [{ lastRunAt: NOW - 7 * DAY }, "due"],
  [{ lastUseAt: NOW - DAY / 12 + 1 }, "in_use"],
  [{ lastUseAt: NOW - DAY / 12 }, "due"],
  [{ lastUseAt: NOW + DAY }, "due"],
  [{ lastUseAt: undefined }, "due"],
] as const)("%o: %s", (more, expected) => {
  const due = isDue(facts(more));
  expect(due.kind === "not_due" ? due.why : due.kind).toBe(expected);
});
