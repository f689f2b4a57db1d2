import { LocationServiceError } from "@edp/domain/errors/ApiErrors"
import { ByteSize, Effect, type Schema } from "effect"
import type { HttpClient, HttpClientRequest } from "effect/http"
import { askJson, reasonOf } from "./askJson.ts"

/** Answers are a few KiB; anything beyond this is not a geocoder's. */
const limits = { answerLimit: ByteSize.kibibytes(256), timeLimit: "5 seconds" } as const

/** Sends one request to a geocoding service and decodes its JSON. Whatever goes wrong is a LocationServiceError. */
export const askGeocoder =
  (client: HttpClient.HttpClient, service: string) =>
  <A>(request: HttpClientRequest.HttpClientRequest, schema: Schema.Codec<A, unknown>) =>
    askJson(client, request, schema, { ...limits, name: "askGeocoder", service }).pipe(
      Effect.catch((error) =>
        Effect.andThen(
          Effect.logWarning("The geocoder failed", { service, reason: reasonOf(error) }),
          Effect.fail(new LocationServiceError({}))
        )
      )
    )
