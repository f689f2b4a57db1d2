import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { StoredText } from "../shared/Text.ts"
import {
  FLEET_CSV_LIMIT,
  Fleet,
  FleetCsvQuery,
  FleetDevices,
  FleetFilters,
  FleetMap,
  FleetMapQuery,
  FleetWindow
} from "./Fleet.ts"

const csv = StoredText(100_000_000)
  .annotate({
    identifier: "FleetCsv",
    description: "A header line, then a line for each device; a cell that a spreadsheet would compute begins with '"
  })
  .pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

export class FleetApi extends HttpApiGroup.make("fleet")
  .add(
    HttpApiEndpoint.get("get", "/dashboard/api/fleet", {
      query: FleetFilters,
      success: Fleet,
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Count the fleet",
        "Devices of the workspace by type, reachability and manufacturer, and open alerts by severity, of the devices that match the filters."
      )
    ),
    HttpApiEndpoint.get("devices", "/dashboard/api/fleet/devices", {
      query: FleetWindow,
      success: FleetDevices,
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Read a window of the fleet",
        "Rows of any part of the list, each with its main figure and the number of its open alerts."
      )
    ),
    HttpApiEndpoint.get("csv", "/dashboard/api/fleet/devices.csv", {
      query: FleetCsvQuery,
      success: csv,
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Download the fleet as CSV",
        `The newest ${FLEET_CSV_LIMIT} matching devices. If there are more, the header X-Left-Out has the number of the others.`
      )
    ),
    HttpApiEndpoint.get("map", "/dashboard/api/fleet/map", {
      query: FleetMapQuery,
      success: FleetMap,
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Map the fleet",
        "The sites of a part of the earth, those that are near each other together. A small part at a high zoom has single sites."
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Fleet", description: "The devices of a workspace at a glance" })) {}
