import { Layer } from "effect"
import * as accounts from "../accounts/layer.ts"
import * as apiKeys from "../api-keys/layer.ts"
import * as customers from "../customers/layer.ts"
import * as manufacturers from "../manufacturers/layer.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { configuredOutbound } from "../platform/outbound/OutboundRules.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import * as sites from "../sites/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { AccountLinking } from "./AccountLinking.ts"
import { Authorizations } from "./Authorizations.ts"
import { AuthorizationsRepository } from "./AuthorizationsRepository.ts"
import { ConnectFlow } from "./ConnectFlow.ts"
import { ConnectPages } from "./ConnectPages.ts"
import { ConnectedAccounts } from "./ConnectedAccounts.ts"
import { ConnectedAccountsRepository } from "./ConnectedAccountsRepository.ts"
import { Connections } from "./Connections.ts"
import { ConnectFunnels } from "./ConnectFunnels.ts"
import { ConnectedAccountsHandlers, ConnectFunnelHandlers, ConnectionsHandlers } from "./ConnectionsHandlers.ts"
import { ConnectionsRepository } from "./ConnectionsRepository.ts"
import { ConnectSessions } from "./ConnectSessions.ts"
import { FlowViews } from "./FlowViews.ts"
import { HostedSessions } from "./HostedSessions.ts"
import { SignInReturns } from "./SignInReturns.ts"
import { SessionReEncryption } from "./SessionReEncryption.ts"

const repositories = Layer.mergeAll(ConnectionsRepository.layer, AuthorizationsRepository.layer)

const earlier = Layer.mergeAll(
  accounts.layer,
  apiKeys.services,
  customers.layer,
  manufacturers.layer,
  sites.layer,
  EventOutbox.layer,
  SecretBox.layer
)

const parts = Layer.mergeAll(AccountLinking.layer, FlowViews.layer).pipe(
  Layer.provideMerge(Layer.merge(ConnectSessions.layer, Authorizations.layer))
)

export const layer = Layer.mergeAll(
  Connections.layer,
  HostedSessions.layer,
  ConnectFlow.layer.pipe(Layer.provide(SignInReturns.layer))
).pipe(Layer.provideMerge(parts), Layer.provide([repositories, earlier]))

export const handlers = ConnectionsHandlers.pipe(Layer.provide(layer))

export const dashboardHandlers = Layer.merge(
  ConnectFunnelHandlers.pipe(Layer.provide(ConnectFunnels.layer.pipe(Layer.provide([repositories, workspaces.layer])))),
  ConnectedAccountsHandlers.pipe(
    Layer.provide(ConnectedAccounts.layer.pipe(Layer.provide(ConnectedAccountsRepository.layer)))
  )
)

/** The routes of the hosted pages. */
export const pages = ConnectPages.layer.pipe(Layer.provide([layer, configuredOutbound]))

/** For the command that encrypts all secrets with the current key. */
export const reEncryption = SessionReEncryption.layer.pipe(Layer.provide([repositories, SecretBox.layer]))
