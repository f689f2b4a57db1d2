import type { Socket } from "node:net"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect } from "effect"
import { dialGuarded } from "../outbound/guardedConnections.ts"
import { type AddressRule, NOT_CALLED, PrivateAddress } from "../outbound/OutboundDial.ts"

const DIAL_LIMIT_MS = 10_000

/** Opens a TCP connection to a device or a broker that a person named, under a rule. */
export const dialDevice =
  (allows: AddressRule) =>
  (host: string, port: number): Effect.Effect<Socket, AdapterError> =>
    dialGuarded(allows, host, port, DIAL_LIMIT_MS).pipe(
      Effect.mapError((error) =>
        error instanceof PrivateAddress
          ? AdapterError.of("misconfigured", NOT_CALLED)
          : AdapterError.of("unreachable", `No connection to port ${port}: ${error.message}`, {
              upstream: {
                statusCode: null,
                errorCode: error.code ?? null,
                errorMessage: error.message,
                requestId: null
              }
            })
      ),
      Effect.withSpan("AdapterHost.dial", { kind: "client" })
    )
