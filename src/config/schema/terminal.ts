import { choice, flag, group, seconds, text, textList } from "./field.ts";

/** `terminal`: where and how commands run. */
export const terminalSection = group(
  {
    backend: choice(["local"], {
      default: "local",
      doc: "Where commands run.",
      later: ["docker", "ssh", "modal", "daytona", "vercel_sandbox", "singularity", "sandbox"],
    }),
    cwd: text({
      default: ".",
      doc: "Working directory of a new session's commands.",
      variables: [{ name: "TERMINAL_CWD" }],
    }),
    timeout: seconds({ default: 180, doc: "Longest time of one command.", variables: [{ name: "TERMINAL_TIMEOUT" }] }),
    env_passthrough: textList({ doc: "Variables that commands see although their names look like secrets." }),
    shell_init_files: textList({ doc: "Files sourced before the first command of a session." }),
    auto_source_bashrc: flag({ default: true, doc: "Source ~/.bashrc before the first command of a session." }),
    persistent_shell: flag({
      default: true,
      doc: "Keep working directory, exported variables, functions and options from one command to the next.",
    }),
  },
  { doc: "Where and how commands run." },
);
