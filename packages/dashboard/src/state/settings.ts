const PREFIX = "edp."

/** A setting that the browser keeps; null if there is none or if the browser keeps nothing. */
export const readSetting = (name: string): string | null => {
  try {
    return localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

/** Keeps a setting in the browser, where that is allowed. Never for secrets. */
export const writeSetting = (name: string, value: string | null) => {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, value)
  } catch {
    // The setting then lasts until the page is closed.
  }
}
