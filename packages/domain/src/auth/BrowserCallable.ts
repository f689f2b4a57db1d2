import { Context } from "effect"

/**
 * Endpoint annotation: browsers of other origins may call it. Every GET under `/v1` may be called without it; what keys
 * that are shown to browsers write is annotated.
 */
export class BrowserCallable extends Context.Reference<boolean>("@edp/domain/BrowserCallable", {
  defaultValue: () => false
}) {}
