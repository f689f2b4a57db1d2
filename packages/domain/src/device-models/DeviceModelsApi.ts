import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { catalogueKeys, describe } from "../auth/annotations.ts"
import { DuplicateName, Forbidden, NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { CreateDeviceModel, DeviceModel, DeviceModelFilters, UpdateDeviceModel } from "./DeviceModel.ts"

export class DeviceModelsApi extends HttpApiGroup.make("deviceModels")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: DeviceModelFilters,
      success: Page(DeviceModel),
      error: ValidationError
    }).annotateMerge(describe(catalogueKeys, "List device models", "Newest first.")),
    HttpApiEndpoint.get("get", "/:id", {
      params: { id: PathId },
      success: DeviceModel,
      error: NotFound
    }).annotateMerge(describe(catalogueKeys, "Get a device model", "By its id.")),
    HttpApiEndpoint.post("create", "/", {
      payload: CreateDeviceModel,
      success: DeviceModel.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, Forbidden, DuplicateName]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Create a device model",
        "The name is unique per manufacturer. An organization that can change the manufacturer can add models; others get FORBIDDEN. An unknown manufacturer is VALIDATION_ERROR (`details.manufacturer`). `type` must be one of the manufacturer's device types, `staticState` the variant of that type, and `commands` commands of that type."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: { id: PathId },
      payload: UpdateDeviceModel,
      success: DeviceModel,
      error: [ValidationError, NotFound, Forbidden, DuplicateName]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Update a device model",
        "A merge patch (RFC 7396): an absent field is unchanged; `staticState` is merged and the result is validated. `commands` must be commands of the model's type. An organization that can change the manufacturer can change its models; others get FORBIDDEN."
      )
    )
  )
  .prefix("/v1/device-models")
  .annotateMerge(
    OpenApi.annotations({
      title: "Device models",
      description:
        "The models of manufacturers: the device type, its ratings as default static state, and the supported commands. Every provisioned device has a model."
    })
  ) {}
