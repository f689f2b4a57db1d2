/** The prose at the head of the reference. */
export const overview = `One uniform REST interface to batteries, chargers, inverters, meters, thermostats, vehicles and water heaters of any manufacturer. Everything is JSON over HTTP.

## Authentication

Every request carries the header \`Service-Api-Key\`. The key determines the workspace that the request acts on, and the type of the key determines which operations it may call:

- \`SERVER\`: full access to its workspace. For back ends; keep it secret.
- \`API\`: like SERVER. Deprecated in favour of SERVER.
- \`CONNECT\`: starts connect sessions. Safe to use in browsers.
- \`MANUFACTURER\`: direct integration of the manufacturers in its scope.
- \`MANAGEMENT\`: workspaces, API keys, programs and the catalogue of the whole organization.
- \`SCOPED\`: the devices of one connected user. Reads them and sends them commands; issued by the connect flow only.

A missing, unknown, expired or revoked key, and a key of a type that may not call the operation, are answered with 401 \`UNAUTHENTICATED\`. Each operation lists the allowed types in its description and in \`x-allowed-key-types\`.

## Errors

Every error body is \`{code, message}\`. The code is stable; the message is for users and may change. \`VALIDATION_ERROR\` adds \`details\`: a message for every invalid field, by its dotted path. \`PARAMETER_MISMATCH\` adds \`mismatchedFields\`, \`RATE_LIMITED\` adds \`retryAfter\`.

Requests are checked in this order: the key (401), the rate limit (429), path, query and body (400), whether the resource exists in the key's workspace (404), permission (403), the resource's state (400 or 409). A resource of another workspace is treated as one that does not exist. Unknown routes are 404 \`NOT_FOUND\`.

Requests answered with 429, 500 or 502 may be retried with exponential backoff (1 s, 2 s, 4 s). Requests that need old readings get 503 \`SERVICE_UNAVAILABLE\` with \`Retry-After\` while the archive of readings does not respond; the message says from when on readings are available. Other errors do not change until the request changes.

## Rate limits

Fixed windows of 60 seconds for each key and class: 300 requests in the read class (GET), 60 in the write class (POST, PUT, PATCH, DELETE) and 100 in the bulk class, unless the deployment or the key has other limits. Each operation names its class. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` are in every response to a valid key; 429 \`RATE_LIMITED\` also has \`Retry-After\`. Failed authentications are limited per client address; an IPv6 /64 network counts as one address.

Pipelined requests on one connection are answered one after another. Clients must read the responses: a connection on which nothing was read for 30 seconds is closed, and while many large responses are unread, further requests are answered with 502 \`SERVICE_UNAVAILABLE\`.

## Lists

Lists take \`page\` (1 to 1000) and \`perPage\` (1 to 100) and response \`{data, page, perPage, totalItems, totalPages}\`, newest first unless said otherwise. Large lists also take \`cursor\`, from the header \`X-Next-Cursor\` of the previous response. Paging by cursor costs the same at any depth; its pages are \`{data, perPage}\`, without \`page\` and totals. A filter that takes several values may be repeated (\`type=battery&type=meter\`) or be a comma-separated list (\`type=battery,meter\`). An unknown query parameter is \`VALIDATION_ERROR\` on every operation, so that a misspelt filter never returns everything; so is a single-valued parameter that is given twice.

## Requests

Bodies are JSON objects in UTF-8 of at most 1 MiB (5 MiB for bulk operations); if no field is required, an absent body counts as \`{}\`. Lengths of texts are counted in Unicode code points; texts must not contain NUL. \`details\` of \`VALIDATION_ERROR\` names up to 100 invalid fields; \`message\` says if there are more. Unknown fields are ignored, except in a telemetry \`state\` and a command's \`input\`, where they are \`VALIDATION_ERROR\`. A PATCH is a merge patch (RFC 7396): an absent field is unchanged, null clears it, objects are merged and the result is validated, arrays are replaced. A PATCH that changes nothing leaves \`updatedAt\` and emits no event. A request may have an \`X-Request-Id\`, which is returned in the response; otherwise one is generated.

Path and headers together are at most 16 KiB, and a request must arrive completely within a minute. Bytes that are not a valid HTTP/1.1 request are \`VALIDATION_ERROR\` before authentication (\`details\` names \`request\`, \`headers\`, \`body\`, \`host\` or \`expect\`), and the connection is closed.

## Idempotency

Every POST accepts an \`Idempotency-Key\` of 1 to 255 characters, except those whose response contains a secret. A repetition within 24 hours with the same API key, path and body has no further effect and returns the stored first response, including an error, with \`Idempotency-Replayed: true\`. The same key with another body is \`VALIDATION_ERROR\` (\`details.idempotencyKey\`); bodies are compared as JSON values. The changes of a request and its response are committed together: a crash leaves both or neither. While the first request is running, a repetition waits for its response for at most 10 seconds, then it is 502 \`SERVICE_UNAVAILABLE\`. Responses with 401, 429, \`VALIDATION_ERROR\` and 5xx are not stored: the same key may be sent again.

## Conditional requests and compression

The response to a GET of a single resource has a weak \`ETag\`. If it is sent in \`If-None-Match\` and the resource has not changed, the response is 304 without a body. Bodies above 1 KiB are compressed with brotli or gzip according to \`Accept-Encoding\`.

## Browsers

Web pages of other origins may GET everything under \`/v1\`, create connect sessions and send commands, unless the deployment restricts the origins. Every visitor of a page can read the key that it uses, so pages must use CONNECT or SCOPED keys.

## Commands

A command is stored at once, and its status is tracked: by \`GET /v1/commands/:id\`, which has each status with its time, or by the events COMMAND_SUCCEEDED, COMMAND_FAILED and COMMAND_OVERRIDDEN. \`delivered\` means that the manufacturer or the device has accepted it, \`completed\` that its effect was confirmed, and \`failed\` has a \`reason\`. A command is sent once, after a crash at most once more with the same token. One that is not delivered by \`expiresAt\`, or not confirmed within 15 minutes of its delivery, fails with \`timeout\`; a result that comes later is kept as \`lateResult\`. Forced modes of batteries, and charging with \`revertAfter\`, always end: the settings from before are restored. While one holds, the device has \`forcedMode\`.

## Deprecation

A deprecated endpoint works until its sunset date. Its responses have the headers \`Deprecation\` (\`@\` and a Unix time), \`Sunset\` (a date) and \`Link\` with \`rel="deprecation"\`. No endpoint is deprecated at present.

## Units and signs

Power is in W, energy in Wh, temperatures are in degrees Fahrenheit, distances in miles. Power and energy at the grid connection are positive when importing and negative when exporting: \`gridPower: 1200\` draws 1.2 kW from the grid. A battery's \`chargeRate\` is positive when discharging and negative when charging.

Times in responses are ISO 8601 in UTC with milliseconds (\`2026-03-01T12:00:00.000Z\`); requests may use any RFC 3339 offset. A nullable field is always present; an optional field is absent if its value is unknown.`
