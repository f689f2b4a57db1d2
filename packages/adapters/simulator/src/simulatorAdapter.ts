import { Effect, Schema } from "effect"
import type { ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { OAuthTokens } from "@edp/adapter-kit/oauth/OAuthTokens"
import { manifest } from "./manifest.ts"
import { makeSimulator } from "./SimulatorInstance.ts"

/** A complete manufacturer inside every installation: homes whose devices follow the sun, their owners and commands. */
export const simulatorAdapter: ManufacturerAdapter<{}, OAuthTokens> = {
  manifest,
  settings: Schema.Struct({}),
  credentials: Schema.toCodecJson(OAuthTokens),
  create: (_settings, host) => Effect.sync(() => makeSimulator(host))
}
