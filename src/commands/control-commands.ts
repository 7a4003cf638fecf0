import { agents } from "./agents.ts";
import { busy } from "./busy.ts";
import type { Command } from "./command.ts";
import { config } from "./config.ts";
import { memory } from "./memory.ts";
import { model } from "./model.ts";
import { personality } from "./personality.ts";
import { queue } from "./queue.ts";
import { quit } from "./quit.ts";
import { reasoning } from "./reasoning.ts";
import { redraw } from "./redraw.ts";
import { bundles, reloadSkills, skills } from "./skills.ts";
import { steer } from "./steer.ts";
import { stop } from "./stop.ts";
import { tools } from "./tools.ts";
import { verbose } from "./verbose.ts";
import { yolo } from "./yolo.ts";

/** Commands about how the agent works and is shown. The order decides what an unclear beginning means. */
export const CONTROL_COMMANDS: readonly Command[] = [
  model,
  reasoning,
  personality,
  verbose,
  busy,
  tools,
  skills,
  bundles,
  reloadSkills,
  memory,
  config,
  queue,
  steer,
  stop,
  agents,
  redraw,
  yolo,
  quit,
];
