// The pages work without this script. It spares reloads while a page waits, and repeated clicks.
const MILLISECONDS_BETWEEN_CHECKS = 3000

const MILLISECONDS_OF_A_CHECK = 30_000

let isChecking = false

/** Goes on as soon as the session has another page than this one. A check that begins before the last one has ended would stop the page from being left. */
const checkAgain = async () => {
  if (document.hidden || isChecking) return
  isChecking = true
  try {
    const signal = AbortSignal.timeout(MILLISECONDS_OF_A_CHECK)
    const response = await fetch(location.pathname, { headers: { accept: "text/html" }, cache: "no-store", signal })
    const page = new DOMParser().parseFromString(await response.text(), "text/html")
    const next = page.body.dataset.page
    if (response.status < 500 && next !== undefined && next !== "waiting") return location.replace(location.pathname)
  } catch {
    // The network may be away for a while: the next check comes.
  }
  isChecking = false
}

// Where an app opens the manufacturer's address, the page that led there stays.
if (["waiting", "signing-in"].includes(document.body.dataset.page)) {
  setInterval(checkAgain, MILLISECONDS_BETWEEN_CHECKS)
  document.addEventListener("visibilitychange", checkAgain)
}

// The second click on a button that is at work does nothing.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent === "true") return event.preventDefault()
    form.dataset.sent = "true"
    event.submitter?.setAttribute("aria-disabled", "true")
  })
}
// A page that the back button restores may be out of date, and its forms are marked as sent.
window.addEventListener("pageshow", (event) => event.persisted && location.reload())

for (const code of document.querySelectorAll("code[data-copy]")) {
  if (navigator.clipboard === undefined) break
  const button = document.createElement("button")
  button.type = "button"
  button.className = "button plain copy"
  button.textContent = code.dataset.copy
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = code.dataset.copied
  })
  code.after(button)
}

// Dates are written in UTC, because the server does not know where the reader is.
for (const time of document.querySelectorAll("time[data-local]")) {
  const format = { dateStyle: "long", timeStyle: "short" }
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, format).format(new Date(time.dateTime))
}

// Links to fields move the focus there, as they do without a script in some browsers only.
for (const link of document.querySelectorAll(".summary a")) {
  link.addEventListener("click", (event) => {
    const field = document.querySelector(link.getAttribute("href"))
    if (field === null) return
    event.preventDefault()
    field.focus()
  })
}
document.querySelector(".summary")?.focus()
