import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { catalogueKeys, describe } from "../auth/annotations.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { Page } from "../shared/Page.ts"
import { Product, ProductFilters } from "./Product.ts"

export class ProductsApi extends HttpApiGroup.make("products")
  .add(
    HttpApiEndpoint.get("list", "/v1/products", {
      query: ProductFilters,
      success: Page(Product),
      error: ValidationError
    }).annotateMerge(
      describe(
        catalogueKeys,
        "List products",
        "By name, or the best results of `q` first. The products are those that this installation links, and the device models of all manufacturers."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Products",
      description: "The products by name: how each is linked, and what its devices can do."
    })
  ) {}
