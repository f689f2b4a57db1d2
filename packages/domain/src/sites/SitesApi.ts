import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { RateClassOf } from "../auth/middleware.ts"
import {
  CustomerNotFound,
  DeletionProtectionEnabled,
  InvalidLocation,
  LocationServiceError,
  SiteAlreadyExists,
  SiteNotFound,
  ValidationError
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { CreateSite, CreateSites, Site, SiteFilters, SiteIncludes, SitesCreated, UpdateSite } from "./Site.ts"

export class SitesApi extends HttpApiGroup.make("sites")
  .add(
    HttpApiEndpoint.get("list", "/", { query: SiteFilters, success: Page(Site), error: ValidationError }).annotateMerge(
      describe(workspaceKeys, "List sites", "Sites of the workspace, newest first.")
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: CreateSite,
      success: Site.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, CustomerNotFound, InvalidLocation, SiteAlreadyExists, LocationServiceError]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create a site",
        "The address is normalised (case, spaces, abbreviations of street suffixes; US, USA and United States are one country); a second site with the same one is SITE_ALREADY_EXISTS. Without `location`, or with null, the address is placed on the map: a US postal code that does not exist or contradicts the state is INVALID_LOCATION."
      )
    ),
    HttpApiEndpoint.post("createMany", "/bulk", {
      payload: CreateSites,
      success: SitesCreated,
      error: ValidationError
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(
          workspaceKeys,
          "Create many sites",
          "Up to 500 sites, each as in the creation of one. A refused item does not sink the others: `results` tells of each what became of it, with the code that a request of its own would have been answered. Of several items with one address the first that can be placed is created. A geocoder that has not placed all of them within 20 seconds leaves the others LOCATION_SERVICE_ERROR: send those again."
        )
      ),
    HttpApiEndpoint.get("get", "/:id", {
      params: { id: PathId },
      query: SiteIncludes,
      success: Site,
      error: [ValidationError, SiteNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Get a site",
        "One site of the workspace. With `include=weather` the weather at its location comes along, null without a location and where the service has no source of weather or it does not answer."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: { id: PathId },
      payload: UpdateSite,
      success: Site,
      error: [ValidationError, SiteNotFound, InvalidLocation, SiteAlreadyExists, LocationServiceError]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Update a site",
        "A merge patch (RFC 7396): an absent field stays as it is, null clears it; the address and the location are merged and then checked whole. A new address is placed again unless `location` is given with it, null included; another spelling of the same address keeps its place."
      )
    ),
    HttpApiEndpoint.delete("remove", "/:id", {
      params: { id: PathId },
      success: HttpApiSchema.NoContent,
      error: [SiteNotFound, DeletionProtectionEnabled]
    }).annotateMerge(
      describe(workspaceKeys, "Delete a site", "Its devices stay, without a site; its alerts keep their siteId.")
    )
  )
  .prefix("/v1/sites")
  .annotateMerge(
    OpenApi.annotations({
      title: "Sites",
      description:
        "A site is a physical place where devices are: a home, a shop, a substation. Its address is unique in the workspace and is placed on the map; its time zone says where its days begin."
    })
  ) {}
