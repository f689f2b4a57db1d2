import { maskKeys } from "@edp/domain/auth/keyFormat"

const decoded = (path: string) => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** A path as it may be written down: somebody may put a key where an id belongs, and escape characters of it. */
export const maskedPath = (path: string): string => {
  if (!path.includes("%")) return maskKeys(path)
  const text = decoded(path)
  const masked = maskKeys(text)
  return masked === text ? maskKeys(path) : encodeURI(masked)
}
