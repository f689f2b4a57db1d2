import { ServiceErrors } from "@edp/domain/auth/middleware"
import { Layer } from "effect"

/** Only declares what the boundary answers: the errors belong to every endpoint's contract. */
export const ServiceErrorsLive = Layer.succeed(ServiceErrors, (httpEffect) => httpEffect)
