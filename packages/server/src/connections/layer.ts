import { Layer } from "effect"
import * as accounts from "../accounts/layer.ts"
import * as apiKeys from "../api-keys/layer.ts"
import * as customers from "../customers/layer.ts"
import * as manufacturers from "../manufacturers/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { configuredOutbound } from "../platform/outbound/OutboundRules.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import * as products from "../products/layer.ts"
import * as sites from "../sites/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { AccountLinking } from "./linking/AccountLinking.ts"
import { Authorizations } from "./sign-in/Authorizations.ts"
import { ConnectFlow } from "./flow/ConnectFlow.ts"
import { ConnectPages } from "./ConnectPages.ts"
import { Connections } from "./Connections.ts"
import { ConnectedAccountsHandlers, ConnectFunnelHandlers, ConnectionsHandlers } from "./ConnectionsHandlers.ts"
import { ConnectSessions } from "./sessions/ConnectSessions.ts"
import { HostedSessions } from "./sessions/HostedSessions.ts"
import { SessionsOfMakers } from "./sessions/SessionsOfMakers.ts"

const earlier = Layer.mergeAll(
  accounts.layer,
  apiKeys.services,
  customers.layer,
  manufacturers.layer,
  products.layer,
  sites.layer,
  workspaces.layer,
  EventOutbox.layer,
  SecretBox.layer
)

const parts = AccountLinking.layer.pipe(Layer.provideMerge(Layer.merge(ConnectSessions.layer, Authorizations.layer)))

export const layer = Layer.mergeAll(Connections.layer, HostedSessions.layer, ConnectFlow.layer).pipe(
  Layer.provideMerge(parts),
  Layer.provide(earlier)
)

/** Ends the sessions that sessions of the dashboard created. */
export const ofMakers = SessionsOfMakers.layer

export const handlers = ConnectionsHandlers.pipe(Layer.provide(layer))

export const dashboardHandlers = Layer.merge(
  ConnectFunnelHandlers.pipe(Layer.provide(workspaces.layer)),
  ConnectedAccountsHandlers
)

/** The routes of the hosted pages. */
export const pages = ConnectPages.layer.pipe(Layer.provide([layer, configuredOutbound]))
