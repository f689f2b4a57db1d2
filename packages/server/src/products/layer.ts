import { Layer } from "effect"
import * as accounts from "../accounts/layer.ts"
import * as deviceModels from "../device-models/layer.ts"
import * as manufacturers from "../manufacturers/layer.ts"
import { Products } from "./Products.ts"
import { ProductsHandlers } from "./ProductsHandlers.ts"

export const layer = Products.layer.pipe(Layer.provide([accounts.layer, deviceModels.layer, manufacturers.layer]))

export const handlers = ProductsHandlers.pipe(Layer.provide(layer))
