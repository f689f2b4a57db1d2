const PREFIX = "edp."

/** A setting that the browser keeps; null if there is none or if the browser keeps nothing. */
export const readSetting = (name: string): string | null => {
  try {
    return localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

/** Calls a function when another tab of the browser has changed a setting. Returns a function that ends it. */
export const onSettingChanged = (name: string, changed: () => void): (() => void) => {
  const check = ({ key }: StorageEvent) => {
    // Without a key all settings were deleted.
    if (key === null || key === PREFIX + name) changed()
  }
  window.addEventListener("storage", check)
  return () => window.removeEventListener("storage", check)
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
