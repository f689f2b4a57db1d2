import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import * as commands from "../commands/layer.ts"
import * as devices from "../devices/layer.ts"
import * as events from "../events/layer.ts"
import { MqttBrokers } from "../platform/device-networks/MqttBrokers.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import * as workspaces from "../workspaces/layer.ts"
import { HomeAssistantPublications } from "./HomeAssistantPublications.ts"
import { HomeAssistantPublicationsHandlers } from "./HomeAssistantPublicationsHandlers.ts"
import { PublicationRunner } from "./PublicationRunner.ts"
import { ReceivedCommands } from "./ReceivedCommands.ts"

export const layer = HomeAssistantPublications.layer.pipe(
  Layer.provide([audit.layer, workspaces.layer, SecretBox.layer])
)

/** Holds the connections of publications. */
export const running = PublicationRunner.layer.pipe(
  Layer.provide(ReceivedCommands.layer),
  Layer.provide([commands.issuing, devices.layer, events.layer, MqttBrokers.layer, SecretBox.layer])
)

export const handlers = HomeAssistantPublicationsHandlers.pipe(Layer.provide(layer))
