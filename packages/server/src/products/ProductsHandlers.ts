import { Api } from "@edp/domain/Api"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Products } from "./Products.ts"

export const ProductsHandlers = groupHandlers(
  Api,
  "products",
  Effect.fn(function* (handlers) {
    const products = yield* Products
    return handlers.handleAll({ list: ({ query }) => products.list(query) })
  })
)
