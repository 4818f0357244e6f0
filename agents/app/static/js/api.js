// The server's answers. Every call returns plain data or throws an ApiError with the reason.

export class ApiError extends Error {
  constructor(status, data) {
    super(data.error || `the server answered ${status}`);
    this.status = status;
    this.data = data;
  }
}

async function call(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(`api/${path}`, options);
  } catch {
    throw new ApiError(0, { error: "The server cannot be reached." });
  }
  const text = await response.text();
  if (!response.ok) throw new ApiError(response.status, parsed(text));
  return response.headers.get("content-type") === "application/json" ? JSON.parse(text) : text;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const table = (id, verb) => `tables/${encodeURIComponent(id)}${verb ? `/${verb}` : ""}`;

export const api = {
  setup: () => call("GET", "setup"),
  checkRules: (rules) => call("POST", "rules", { rules }),
  openTable: (wishes) => call("POST", "tables", wishes),
  look: (id) => call("GET", table(id)),
  leave: (id) => call("DELETE", table(id)),
  act: (id, version, action) => call("POST", table(id, "act"), { version, action }),
  step: (id, version, verb) => call("POST", table(id, verb), { version }),
  hint: (id, version) => call("POST", table(id, "hint"), { version }),
  record: (id, kind) => call("GET", table(id, `record.${kind}`)),
  replay: (record, game, deal) => call("POST", "replay", { record, game, deal }),
  review: (record, game, deal) => call("POST", "review", { record, game, deal }),
};
