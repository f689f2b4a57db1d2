import { Api } from "@edp/domain/Api"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { writeOrCheck } from "./generatedFile.ts"

/** The OpenAPI document of the contract, as it is committed. */
const document = Effect.sync(() => `${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`)

await Effect.runPromise(
  writeOrCheck({ path: "packages/domain/openapi.json", source: "the contract", command: "pnpm openapi" }, document)
)
