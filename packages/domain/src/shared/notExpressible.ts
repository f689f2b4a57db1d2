/** A check that JSON Schema has no word for; stating it keeps the field's description in the OpenAPI document. */
export const notExpressible = () => [{}, true] as const
