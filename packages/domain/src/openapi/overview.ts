/** The prose at the head of the reference. */
export const overview = `One uniform REST interface to batteries, chargers, inverters, meters, thermostats, vehicles and water heaters of any manufacturer. Everything is JSON over HTTP.

## Authentication

Every request carries the header \`Service-Api-Key\`. The key names the workspace that the request acts on, and its type says what it may call:

- \`SERVER\`: full access to its workspace. For back ends; keep it secret.
- \`API\`: as SERVER. Deprecated in favour of SERVER.
- \`CONNECT\`: starts connect sessions. Safe to show to browsers.
- \`MANUFACTURER\`: direct integration of the manufacturers in its scope.
- \`MANAGEMENT\`: workspaces, API keys and the catalogue of the whole organization.
- \`SCOPED\`: the devices of one connected user. Reads them and sends them commands; comes from the connect flow alone.

A key that is missing, unknown, expired or revoked is answered 401 \`UNAUTHENTICATED\`, and so is a key of a type that may not call the operation. Each operation names the types it takes, here and in \`x-allowed-key-types\`.

## Errors

Every error body is \`{code, message}\`. The code is stable; the message is for people and may change. \`VALIDATION_ERROR\` adds \`details\`: every offending field at once, as a dotted path, with what is wrong with it. \`PARAMETER_MISMATCH\` adds \`mismatchedFields\`, \`RATE_LIMITED\` adds \`retryAfter\`.

Checks are made in this order: the key (401), the rate limit (429), path, query and body (400), whether the resource exists in the key's workspace (404), permission (403), the resource's state (400 or 409). A resource of another workspace is answered like one that does not exist. Unknown routes are 404 \`NOT_FOUND\`.

Answers of status 429, 500 and 502 may be retried with exponential backoff (1 s, 2 s, 4 s). Others stay as they are until the request changes.

## Rate limits

Fixed windows of 60 seconds for each key and class: 300 requests in the read class (GET), 60 in the write class (POST, PUT, PATCH, DELETE) and 100 in the bulk class, unless the deployment or the key says otherwise. Each operation names its class. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` come with every answer to a valid key; 429 \`RATE_LIMITED\` also tells \`Retry-After\`. Failed authentications are limited for each client address, where a /64 network of IPv6 counts as one.

Requests that are sent on one connection without waiting are answered one after another. Answers must be read: a connection on which nothing was read for 30 seconds is closed, and while many large answers wait to be read, further ones are 502 \`SERVICE_UNAVAILABLE\`.

## Lists

Lists take \`page\` (1 to 1000) and \`perPage\` (1 to 100) and answer \`{data, page, perPage, totalItems, totalPages}\`, newest first unless said otherwise. Large lists also take \`cursor\`, from the header \`X-Next-Cursor\` of the previous answer: a walk whose cost does not grow with depth, answered as \`{data, perPage}\`. A filter that takes several values may be repeated (\`type=battery&type=meter\`) or hold a comma list (\`type=battery,meter\`). On every operation a parameter that it does not know is \`VALIDATION_ERROR\`, so that a misspelt filter never returns everything, and so is one that takes a single value and is given twice.

## Requests

Bodies are JSON objects in UTF-8 of at most 1 MiB (5 MiB for bulk operations); where no field is required, no body counts as \`{}\`. Lengths of texts count Unicode code points, and texts hold no NUL. \`details\` of \`VALIDATION_ERROR\` names every offending field, up to 100; \`message\` says where there are more. Fields that an operation does not know are ignored, except inside a telemetry \`state\`, where they are \`VALIDATION_ERROR\`. A PATCH is a merge patch (RFC 7396): an absent field stays as it is, null clears it, objects are merged and then checked whole, arrays are replaced. One that changes nothing leaves \`updatedAt\` and tells of nothing. \`X-Request-Id\` may be sent; it comes back with the answer, and with a generated one otherwise.

Path and headers together have at most 16 KiB, and a request arrives whole within a minute. What is no request of HTTP/1.1 at all is \`VALIDATION_ERROR\` too, before any key is asked for (\`details\` names \`request\`, \`headers\`, \`body\`, \`host\` or \`expect\`), and its connection is closed.

## Sending again

Every POST takes \`Idempotency-Key\`, 1 to 255 characters that name the request, but for those whose answer holds a secret. Sent again within 24 hours with the same API key, path and body, it does nothing more and is answered with the first answer, an error included, and \`Idempotency-Replayed: true\`. With another body it is \`VALIDATION_ERROR\` (\`details.idempotencyKey\`); bodies are compared as JSON values. What the request changes and its answer are committed together: a crash leaves both or neither. While the first request still runs, a repetition waits for its answer, at most 10 seconds, then 502 \`SERVICE_UNAVAILABLE\`. Answers 401, 429, \`VALIDATION_ERROR\` and 5xx are not kept: the same key may be sent again.

## Reading again

A GET of a single resource answers a weak \`ETag\`. Sent back in \`If-None-Match\` it is answered 304 without a body while the resource is as it was. Bodies above 1 KiB are compressed as \`Accept-Encoding\` asks, by brotli or gzip.

## Browsers

Pages of other origins may GET everything under \`/v1\`, if the deployment doesn't restrict the origins. Whoever sees a page can read the key that it uses, so pages use CONNECT and SCOPED keys.

## Deprecation

An endpoint that is going to be removed works until its sunset, and says so with every answer: \`Deprecation\` (\`@\` and a Unix time), \`Sunset\` (a date) and \`Link\` with \`rel="deprecation"\`. None is deprecated at present.

## Units and signs

Power is in W, energy in Wh, temperatures are in degrees Fahrenheit, distances in miles. Power and energy at the grid connection are positive when importing and negative when exporting: \`gridPower: 1200\` draws 1.2 kW from the grid. A battery's \`chargeRate\` is positive when discharging and negative when charging.

Times in answers are ISO 8601 in UTC with milliseconds (\`2026-03-01T12:00:00.000Z\`); requests may use any offset of RFC 3339. A field that may be null is always there; one that is optional is left out when unknown.`
