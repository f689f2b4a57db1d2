import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { Page } from "../shared/Page.ts"
import { OpenAdrClient, OpenAdrClientFilters, OpenAdrServer } from "./OpenAdrServer.ts"

export class OpenAdrServerApi extends HttpApiGroup.make("openAdrServer")
  .add(
    HttpApiEndpoint.get("get", "/dashboard/api/openadr", { success: OpenAdrServer }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get the OpenADR server",
        "What the workspace publishes to VENs now and in the next 24 hours."
      )
    ),
    HttpApiEndpoint.get("clients", "/dashboard/api/openadr/clients", {
      query: OpenAdrClientFilters,
      success: Page(OpenAdrClient),
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "List OpenADR clients",
        "The clients of the workspace's OpenADR server, newest first, with their vens and when they were last seen."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "OpenADR server page", description: "The OpenADR server as operators see it." })
  ) {}
