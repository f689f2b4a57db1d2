import { Context } from "effect"

/** Endpoint annotation: an absent body counts as `{}`, whatever the content type. */
export class OptionalBody extends Context.Reference<boolean>("@edp/domain/OptionalBody", {
  defaultValue: () => false
}) {}
