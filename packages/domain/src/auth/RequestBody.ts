import { HttpApiMiddleware } from "effect/http-api"
import { ServiceUnavailable, UnknownError, ValidationError } from "../errors/ApiErrors.ts"

/** Reads the body within its limit, and turns what does not decode into VALIDATION_ERROR with all offending fields. */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("@edp/domain/RequestBody", {
  error: ValidationError
}) {}

/** What every endpoint can answer when the service itself fails. */
export class ServiceErrors extends HttpApiMiddleware.Service<ServiceErrors>()("@edp/domain/ServiceErrors", {
  error: [UnknownError, ServiceUnavailable]
}) {}
