import { poolNameOf } from "../../../llm/auth/sources/live-credential.ts";
import { knownProviders, type AuthContext } from "./context.ts";

/** After a key or login was added: says how a model of the provider is chosen, unless one answers or takes over already. For people, not for `--json`. */
export const tellNextStep = ({ app, models, output, isJson }: AuthContext, pool: string): void => {
  if (isJson) return;
  const main = models.resolve({});
  const named = [
    ...(main.kind === "model" ? [main.target.provider] : []),
    ...app.config.sectionOrDefaults("fallback_providers").map(({ provider }) => provider),
  ];
  if (named.some((provider) => poolNameOf(provider, knownProviders(app)) === pool)) return;
  output.stderr("None of its models is configured yet. Next: `hermes model` chooses one.\n");
};
