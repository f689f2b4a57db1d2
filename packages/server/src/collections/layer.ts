import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import * as customers from "../customers/layer.ts"
import * as devices from "../devices/layer.ts"
import * as sites from "../sites/layer.ts"
import * as workspaces from "../workspaces/layer.ts"
import { CollectionsOfDevicesLive, Collections } from "./Collections.ts"
import { CollectionsHandlers } from "./CollectionsHandlers.ts"
import { MaterializedCollections } from "./MaterializedCollections.ts"

export const layer = Collections.layer.pipe(
  Layer.provide([devices.layer, sites.layer, customers.layer]),
  Layer.provideMerge(MaterializedCollections.layer),
  Layer.provide([audit.layer, workspaces.layer])
)

/** The implementation of the port of devices. */
export const ports = CollectionsOfDevicesLive

export const handlers = CollectionsHandlers.pipe(Layer.provide(layer))
