import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { DeviceNotFound, SiteNotFound, ValidationError } from "../errors/ApiErrors.ts"
import { ANNOTATION_DAYS, AnnotationFilters, Annotations } from "./Annotation.ts"

export class AnnotationsApi extends HttpApiGroup.make("annotations")
  .add(
    HttpApiEndpoint.get("list", "/dashboard/api/annotations", {
      query: AnnotationFilters,
      success: Annotations,
      error: [ValidationError, DeviceNotFound, SiteNotFound]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "List annotations",
        `What explains the charts of a device or a site: times without communication, dispatches, clock changes and alerts that overlap a time of at most ${ANNOTATION_DAYS} days. Alerts that the workspace's alert configuration hides are left out.`
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Annotations", description: "Bands for charts over time." })) {}
