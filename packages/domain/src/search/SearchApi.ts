import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { SearchQuery, SearchResults } from "./SearchResult.ts"

export class SearchApi extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("find", "/v1/search", {
      query: SearchQuery,
      success: SearchResults,
      error: ValidationError
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Search records",
        "Finds devices, sites, customers, accounts at manufacturers and program instances of the workspace by names, addresses, e-mail addresses, phone numbers, serial and manufacturer's numbers, references and ids. Equal fields come first, then fields that begin with the query, then records with words that begin with its words, then all that contain them. Devices at the best sites follow these. If nothing contains the query, records with similar words are returned and `similar` is true."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Search",
      description:
        "Finds records of any kind by a part of what is written on them. For filters and complete lists use the lists of each kind."
    })
  ) {}
