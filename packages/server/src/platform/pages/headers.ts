/** Scripts, styles, images and forms stay on this server, and no other page shows this one in a frame. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Headers of every page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store"
}

const kept = { "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin" }

/** Headers of a static file. Its address changes with its content. */
export const assetHeaders: Readonly<Record<string, string>> = {
  ...kept,
  "cache-control": "public, max-age=31536000, immutable"
}

/** Headers of a logo, which somebody else made: as a page of its own it must not run anything. */
export const logoHeaders: Readonly<Record<string, string>> = {
  ...kept,
  "cache-control": "public, max-age=3600",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"
}
