import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { AllowedKeyTypes } from "./AllowedKeyTypes.ts"
import type { ApiKeyType } from "./ApiKeyType.ts"

/** What every endpoint states: who may call it, and its line and paragraph in the reference. */
export const describe = (
  allowed: ReadonlyArray<ApiKeyType>,
  summary: string,
  description: string
): Context.Context<never> =>
  Context.merge(Context.make(AllowedKeyTypes, allowed), OpenApi.annotations({ summary, description }))
