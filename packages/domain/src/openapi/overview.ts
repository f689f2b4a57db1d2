/** The prose at the head of the reference. */
export const overview = `One uniform REST interface to batteries, chargers, inverters, meters, thermostats, vehicles and water heaters of any manufacturer.

**Authentication.** Every request carries the header \`Service-Api-Key\`. The key names the workspace. Key types: SERVER (full access, for back ends), API (as SERVER, deprecated), CONNECT (client-safe), MANUFACTURER (direct integration), MANAGEMENT (organization-wide), SCOPED (a connected user's devices). A key of a type that may not call an endpoint is answered like an unknown one: 401 UNAUTHENTICATED.

**Errors.** Every error body is \`{code, message}\`; \`code\` is stable, \`message\` is for people. VALIDATION_ERROR adds \`details\`, all offending fields at once. 429, 500 and 502 may be retried with exponential backoff (1 s, 2 s, 4 s).

**Limits.** Fixed windows of 60 seconds per key: 300 reads, 60 writes and 100 bulk requests unless the deployment or the key says otherwise. Every authenticated answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; 429 also \`Retry-After\`.

**Paging.** Lists take \`page\` (1 to 1000) and \`perPage\` (1 to 100) and answer \`{data, page, perPage, totalItems, totalPages}\`. Large lists also take \`cursor\`, from the header \`X-Next-Cursor\` of the previous answer.

**Units and signs.** Power in W, energy in Wh, temperatures in degrees Fahrenheit, distances in miles. Grid power is positive when importing and negative when exporting; a battery's chargeRate is positive when discharging and negative when charging.

**Dates** are ISO 8601 in UTC with milliseconds in answers; requests may use any offset of RFC 3339. Unknown body fields are ignored, except inside a telemetry \`state\`; unknown query parameters of lists are VALIDATION_ERROR.`
