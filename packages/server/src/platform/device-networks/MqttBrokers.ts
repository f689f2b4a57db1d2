import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { BrokerAddress } from "@edp/adapter-kit/broker/BrokerAddress"
import { type Broker, type BrokerOptions, type OnMessage, openBroker } from "@edp/adapter-kit/broker/openBroker"
import { Context, Effect, Layer, type Scope } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"
import { allowsPrivate, deviceNetworks } from "../config/requireSettings.ts"
import { isInNetworks } from "../network/deviceNetworks.ts"
import { isPublicAddress } from "../network/publicAddress.ts"
import { contained } from "../outbound/contained.ts"
import type { AddressRule } from "../outbound/OutboundDial.ts"
import { dialDevice } from "./dialDevice.ts"

export type { Broker, BrokerAddress }

/** Opens a connection, by the client that adapters use. It ends with the scope. */
type Open = (
  address: BrokerAddress,
  onMessage: OnMessage,
  options?: BrokerOptions
) => Effect.Effect<Broker, AdapterError, Scope.Scope>

/** Connections to MQTT brokers. Each kind has a rule on the addresses that are called. */
export class MqttBrokers extends Context.Service<
  MqttBrokers,
  {
    /** To a broker that a person named, in the networks in which the platform may call devices. */
    readonly open: Open
    /** To a broker that another server named, by the rules of outbound calls. Without TLS it is called at a private address alone. */
    readonly openOutbound: Open
    /** To a broker of the operator's settings, at any address. */
    readonly openConfigured: Open
  }
>()("@edp/server/platform/device-networks/MqttBrokers") {
  static readonly layer = Layer.effect(
    MqttBrokers,
    Effect.map(ServerConfig, (config) => {
      const networks = deviceNetworks(config)
      const isPrivateAllowed = allowsPrivate(config)
      const opener =
        (allows: AddressRule): Open =>
        (address, onMessage, options) =>
          openBroker({ contained, dial: dialDevice(allows) }, address, onMessage, options).pipe(
            Effect.withSpan("MqttBrokers.open", { kind: "client" })
          )
      const secured = opener((address) => isPrivateAllowed || isPublicAddress(address))
      const plain = opener((address) => isPrivateAllowed && !isPublicAddress(address))
      return {
        open: opener((address) => isInNetworks(networks, address)),
        openOutbound: (address, onMessage, options) => (address.tls ? secured : plain)(address, onMessage, options),
        openConfigured: opener(() => true)
      }
    })
  )
}
