/** The id of the embedded practice model, as a provider and as a model. */
export const PRACTICE = "practice";
