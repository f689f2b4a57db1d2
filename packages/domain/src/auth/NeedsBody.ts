import { Context } from "effect"

/**
 * Endpoint annotation: a request without a body is refused although no field is required by itself. Elsewhere an absent
 * body counts as `{}` wherever that is a right body.
 */
export class NeedsBody extends Context.Reference<boolean>("@edp/domain/NeedsBody", {
  defaultValue: () => false
}) {}
