import { Schema } from "effect"
import { ApiError, Sentence } from "./ApiError.ts"

export class Unauthenticated extends ApiError<Unauthenticated>()(
  "UNAUTHENTICATED",
  "The API key is missing, invalid, expired or revoked, or of a type that may not call this endpoint"
) {}

export class Forbidden extends ApiError<Forbidden>()("FORBIDDEN", "The API key has no permission on this resource") {}

export class DeviceModelManufacturerMismatch extends ApiError<DeviceModelManufacturerMismatch>()(
  "DEVICE_MODEL_MANUFACTURER_MISMATCH",
  "The device model belongs to a manufacturer outside the key's scope"
) {}

export class DeviceNotOemDirect extends ApiError<DeviceNotOemDirect>()(
  "DEVICE_NOT_OEM_DIRECT",
  "The device was not provisioned by direct integration"
) {}

export class ManufacturerNotAllowed extends ApiError<ManufacturerNotAllowed>()(
  "MANUFACTURER_NOT_ALLOWED",
  "The device's manufacturer is not in the key's scope"
) {}

export class ValidationError extends ApiError<ValidationError>()("VALIDATION_ERROR", "The request is not valid", {
  details: Schema.Record(Schema.String, Sentence).annotate({
    description: "A message for each invalid field, by its dotted path",
    examples: [{ "readings.17.state.charge": "Must be a number" }]
  })
}) {}

export class InvalidLocation extends ApiError<InvalidLocation>()(
  "INVALID_LOCATION",
  "The address or coordinates cannot be resolved"
) {}

export class InvalidStatus extends ApiError<InvalidStatus>()(
  "INVALID_STATUS",
  "The status of the resource does not allow this transition"
) {}

export class InvalidState extends ApiError<InvalidState>()(
  "INVALID_STATE",
  "The operation is not valid in the resource's current state"
) {}

export class InvalidCriteria extends ApiError<InvalidCriteria>()(
  "INVALID_CRITERIA",
  "The criteria are malformed; the message begins with the path of the offending rule"
) {}

export class CustomerNotConnectedToSite extends ApiError<CustomerNotConnectedToSite>()(
  "CUSTOMER_NOT_CONNECTED_TO_SITE",
  "The customer is not associated with the site"
) {}

export class DeletionProtectionEnabled extends ApiError<DeletionProtectionEnabled>()(
  "DELETION_PROTECTION_ENABLED",
  "The workspace has deletion protection on"
) {}

export class SiteAlreadyExists extends ApiError<SiteAlreadyExists>()(
  "SITE_ALREADY_EXISTS",
  "A site with this address exists in the workspace"
) {}

export class DuplicateName extends ApiError<DuplicateName>()("DUPLICATE_NAME", "The name is already in use") {}

export class DeviceModelNotFound extends ApiError<DeviceModelNotFound>()(
  "DEVICE_MODEL_NOT_FOUND",
  "deviceModelId matches no device model"
) {}

export class NotFound extends ApiError<NotFound>()("NOT_FOUND", "There is no such resource") {}

export class CustomerNotFound extends ApiError<CustomerNotFound>()("CUSTOMER_NOT_FOUND", "There is no such customer") {}

export class DeviceNotFound extends ApiError<DeviceNotFound>()("DEVICE_NOT_FOUND", "There is no such device") {}

export class SiteNotFound extends ApiError<SiteNotFound>()("SITE_NOT_FOUND", "There is no such site") {}

export class ApiKeyNotFound extends ApiError<ApiKeyNotFound>()("APIKEY_NOT_FOUND", "There is no such API key") {}

export class WorkspaceNotFound extends ApiError<WorkspaceNotFound>()(
  "WORKSPACE_NOT_FOUND",
  "There is no such workspace"
) {}

export class CollectionNotFound extends ApiError<CollectionNotFound>()(
  "COLLECTION_NOT_FOUND",
  "There is no such collection"
) {}

export class ScheduleNotFound extends ApiError<ScheduleNotFound>()("SCHEDULE_NOT_FOUND", "There is no such schedule") {}

export class SiteNotInWorkspace extends ApiError<SiteNotInWorkspace>()(
  "SITE_NOT_IN_WORKSPACE",
  "The site exists but is outside the workspace"
) {}

export class DeviceNotAssociated extends ApiError<DeviceNotAssociated>()(
  "DEVICE_NOT_ASSOCIATED",
  "The device belongs to no workspace"
) {}

export class DuplicateConnection extends ApiError<DuplicateConnection>()(
  "DUPLICATE_CONNECTION",
  "An account of the manufacturer is already connected for this referenceId"
) {}

const fieldName = Schema.String.check(Schema.isPattern(/^[A-Za-z]+$/u), Schema.isMaxLength(100))

export class ParameterMismatch extends ApiError<ParameterMismatch>()(
  "PARAMETER_MISMATCH",
  "A device with this manufacturerDeviceId exists with different attribute values",
  {
    mismatchedFields: Schema.Array(fieldName)
      .check(Schema.isMaxLength(7))
      .annotate({
        description: "Names of the fields that differ from the last provisioned values",
        examples: [["siteId", "serialNumber"]]
      })
  }
) {}

/** Documented, but not checked, so that an instance with a wrong clock can respond. */
const withinWindow = Schema.makeFilter<number>(() => true, {
  toJsonSchema: () => [{ minimum: 1, maximum: 60 }, true]
})

export class RateLimited extends ApiError<RateLimited>()("RATE_LIMITED", "The rate limit is exceeded", {
  retryAfter: Schema.Int.check(withinWindow).annotate({
    description: "Seconds until the window resets",
    examples: [12]
  })
}) {}

export class UnknownError extends ApiError<UnknownError>()("UNKNOWN_ERROR", "An unexpected error occurred") {}

export class LocationServiceError extends ApiError<LocationServiceError>()(
  "LOCATION_SERVICE_ERROR",
  "The address validation service is temporarily unavailable"
) {}

export class ServiceUnavailable extends ApiError<ServiceUnavailable>()(
  "SERVICE_UNAVAILABLE",
  "A service that this one depends on is unreachable"
) {}

/** Maximum number of invalid fields that one response names. */
export const DETAILS_LIMIT = 100

const more = (most: number) => {
  const named = most === 1 ? "the first" : `the first ${most}`
  return `The request is not valid; more fields are wrong than are named: details has ${named}`
}

/** A VALIDATION_ERROR about the given fields. It names the first 100, and its message says if there are more. */
export const invalid = (details: Record<string, string>, most = DETAILS_LIMIT) => {
  const names = Object.keys(details)
  if (names.length <= most) return new ValidationError({ details })
  const first: Record<string, string> = Object.create(null)
  for (const name of names.slice(0, most)) first[name] = details[name]!
  return new ValidationError({ details: first, message: more(most) })
}
