import { named, textList } from "./field.ts";

/** `platform_toolsets`: the toolsets of each surface. */
export const platformToolsetsSection = named(textList({ doc: "Toolsets that are on for this surface." }), {
  doc: "The toolsets of each surface (`cli`, `cron`, …); one that isn't named has its own default.",
  placeholder: "<platform>",
});
