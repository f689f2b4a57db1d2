import { randomUUID } from "node:crypto"
import type { Socket } from "node:net"
import { Clock, Effect, Layer } from "effect"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { AccessLog } from "../platform/http/AccessLog.ts"
import { answerHeaders } from "../platform/http/answerHeaders.ts"
import { clientAddress } from "../platform/network/clientAddress.ts"
import { ListeningServer } from "../platform/http/FrontServer.ts"
import { makeRequestInfo } from "../platform/http/RequestInfo.ts"
import { refuseUnreadable } from "./refuseUnreadable.ts"

/** What stands in the log for the method and the path of a request that could not be read. */
const unknown = { method: "-", url: "-" }

/** Requests that Node's parser gives up on get the service's error body, a request id and a line in the log. */
export const UnreadableRequests = Layer.effectDiscard(
  Effect.gen(function* () {
    const server = yield* ListeningServer
    const log = yield* AccessLog
    const clock = yield* Clock.Clock
    const { trustedProxies } = yield* ServerConfig
    const noted = (socket: Socket, status: number) => {
      const info = makeRequestInfo(randomUUID(), clientAddress(socket.remoteAddress, undefined, trustedProxies))
      log.write(unknown, info, status, 0)
      return { date: new Date(clock.currentTimeMillisUnsafe()).toUTCString(), ...answerHeaders(info) }
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => refuseUnreadable(server, noted)),
      (undo) => Effect.sync(undo)
    )
  })
)
