const SECRET_NAME = /(?:token|secret|key|password|passwd|credentials?|authorization|cookie)s?$/i;

/** Whether a member of that name holds a secret: `access_token`, `agent_key`, `client_secret`; `token_type` and `agent_key_id` do not. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);
