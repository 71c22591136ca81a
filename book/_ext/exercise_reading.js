// Reads an answer and judges it as `regattn.exercises` does: the same tables, rules and messages, the same cases in
// tests/spellings.json. TABLES and MESSAGES stand before this text. No page is needed here: text in, verdict out.
const LONGEST = 400;
const DEEPEST = 20;
const AGREE = 0.02;
const TOKEN = /(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|\p{L}[\p{L}\p{N}_.]*|[-+*\/^()%;]/gu;
const NAMED = /\p{L}[\p{L}\p{N}_.]* *=/gu;
const ROUNDING = 1 + 1e-9;
const sigmoid = (z) => (1 + Math.tanh(z / 2)) / 2;
const FUNCTIONS = { sqrt: Math.sqrt, root: Math.sqrt, log: Math.log, ln: Math.log, exp: Math.exp, sigmoid };

function plainText(text) {
  let plain = [...text].slice(0, LONGEST).join("").toLowerCase().replace(/\s/gu, " ");
  for (const [sign, meaning] of Object.entries(TABLES.signs)) plain = plain.replaceAll(sign, meaning);
  plain = plain.replace(/(\p{L})-(?=\p{L})/gu, "$1 ");
  plain = plain.replace(new RegExp(`(${TABLES.functions.join("|")})(?=[0-9])`, "g"), "$1 ");
  return plain.replace(/[[\]$]/g, " ");
}

const bare = (text) => text.trim().replace(/^(?:\p{L}[\p{L}\p{N}_.]*)?\((.*[,;].*)\)$/u, "$1");

function commas(text) {
  const decimals = text.replace(/(?<=[0-9])\.(?=[0-9]{3},)/g, "").replace(/,(?=[0-9])/g, ".");
  const thousands = text.replace(/(?<=[0-9])[,' ](?=[0-9]{3}(?![0-9]))/g, "");
  return [decimals, thousands, text].map((line) => line.replaceAll(",", ";"));
}

const apart = (text) => text.replace(/ ([-+])(?=[0-9.])/g, ";$1");
const known = (name) => Object.hasOwn(FUNCTIONS, name) || Object.hasOwn(TABLES.constants, name);

function tokensOf(text) {
  const found = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const name = token.replace(/^(?:np|math|torch)\./, "").replace(/\.+$/, "");
    const numeral = TABLES.numerals.indexOf(name);
    if (/^[0-9.]/.test(token)) found.push(Number(token));
    else if (numeral >= 0) found.push(numeral);
    else if (Object.hasOwn(TABLES.operators, name)) found.push(TABLES.operators[name]);
    else if (known(name) || "-+*/^()%;".includes(token)) found.push(name || token);
  }
  return found;
}

// Sums, products, powers and the functions of the table; what does not fit is passed over. Null: nothing to read here.
function expressions(tokens) {
  let [at, depth] = [0, 0];
  const values = [];

  const take = (...wanted) => (wanted.includes(tokens[at]) ? tokens[at++] : null);

  function sum() {
    let value = product();
    let sign;
    while (value !== null && (sign = take("+", "-"))) {
      const other = product();
      if (other === null) break;
      value = sign === "+" ? value + other : value - other;
    }
    return value;
  }

  function product() {
    let value = signed();
    while (value !== null) {
      const before = at;
      const operator = take("*", "/");
      if (!operator && !(typeof tokens[at] === "string" && known(tokens[at]))) break;
      const other = signed();
      if (other === null) {
        at = before;
        break;
      }
      value = operator !== "/" ? value * other : other ? value / other : NaN;
    }
    return value;
  }

  function signed() {
    const before = at;
    let minus = false;
    let sign;
    while ((sign = take("+", "-"))) minus = minus !== (sign === "-");
    const value = power();
    if (value === null) at = before;
    return value === null ? null : minus ? -value : value;
  }

  function power() {
    let value = atom();
    if (value !== null && take("^")) {
      const minus = take("-");
      const exponent = atom();
      if (exponent !== null) value = value ** (minus ? -exponent : exponent);
    }
    while (value !== null && take("%")) value /= 100;
    return value;
  }

  function atom() {
    if (at >= tokens.length || depth > DEEPEST) return null;
    const before = at;
    at += 1;
    depth += 1;
    const value = meaning(tokens[before]);
    depth -= 1;
    if (value === null) at = before;
    return value;
  }

  function meaning(token) {
    if (typeof token === "number") return token;
    if (token === "(") {
      const value = sum();
      take(")");
      return value;
    }
    if (Object.hasOwn(FUNCTIONS, token)) {
      const value = power();
      return value === null ? null : FUNCTIONS[token](value);
    }
    return Object.hasOwn(TABLES.constants, token) ? TABLES.constants[token] : null;
  }

  while (at < tokens.length) {
    const value = sum();
    if (value === null) at += 1;
    else values.push(value);
  }
  return values;
}

function agreed(values) {
  const same = values.every((value) => Math.abs(value - values[0]) <= AGREE * Math.abs(values[0]));
  return same ? values.slice(0, 1) : values;
}

function numbersIn(text) {
  const plain = plainText(text);
  const parts = [plain.split("=").at(-1), plain.replace(NAMED, " ")];
  const lines = parts.flatMap((part) => commas(bare(part))).flatMap((line) => [line, apart(line)]);
  const found = new Map();
  for (const line of new Set(lines)) {
    const values = expressions(tokensOf(line));
    if (!values.length || !values.every(Number.isFinite)) continue;
    for (const reading of [agreed(values), values]) found.set(JSON.stringify(reading), reading);
  }
  return [...found.values()];
}

function wordsIn(text) {
  let plain = [...text].slice(0, LONGEST).join("").toLowerCase();
  ["first", "second", "third", "fourth"].forEach((name, index) => {
    plain = plain.replace(new RegExp(`\\b${name} quarter\\b`, "g"), `q${index + 1}`);
  });
  plain = plain.replace(/\bq([1-4])\W*(?:of\W*)?((?:19|20)[0-9]{2})\b/g, "$2q$1");
  plain = plain.replace(/\b((?:19|20)[0-9]{2})\W*q?([1-4])\b/g, "$1q$2");
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

const mentions = (words, spellings) =>
  spellings.some((each) => each.split(" ").every((part) => words.some((word) => word.startsWith(part))));

function errorOf(sheet, readings, wanted) {
  const room = Math.max(sheet.tolerance * Math.max(...wanted.map(Math.abs)), 1e-9) * ROUNDING;
  const away = (value, target) => {
    const distance = Math.abs(value - target);
    return sheet.share && Math.abs(value) > 1 ? Math.min(distance, Math.abs(value / 100 - target)) : distance;
  };
  return Math.min(...readings.map((values) => Math.max(...values.map((v, i) => away(v, wanted[i]))))) / room;
}

function judgeNumbers(sheet, readings) {
  const fitting = readings.filter((values) => values.length === sheet.targets.length);
  if (!fitting.length) return [false, MESSAGES[readings.length ? "count" : "none"]];
  const error = errorOf(sheet, fitting, sheet.targets);
  if (error <= 1) return [true, MESSAGES.right];
  let nearest = [2, ""];
  for (const { values, hint } of sheet.mistakes) {
    const off = errorOf(sheet, fitting, values);
    if (off < nearest[0]) nearest = [off, hint];
  }
  if (nearest[0] <= 1) return [false, MESSAGES.hint + nearest[1]];
  const sorted = (values) => [...values].sort((a, b) => a - b);
  if (errorOf(sheet, fitting.map(sorted), sorted(sheet.targets)) <= 1) return [false, MESSAGES.hint + MESSAGES.order];
  if (sheet.tolerance && error <= NEAR) return [false, MESSAGES.near];
  return [false, MESSAGES.hint + sheet.hint];
}

function judgeWords(sheet, text) {
  const words = wordsIn(text);
  const named = Object.keys(sheet.options).filter((option) => mentions(words, sheet.options[option]));
  if (named.length > 1) return [false, MESSAGES.several];
  if (named.length && words.some((word) => NEGATIONS.includes(word))) return [false, MESSAGES.negated];
  if (named[0] === sheet.right) return [true, MESSAGES.right];
  const slip = sheet.mistakes.find((mistake) => mistake.option === named[0]);
  return [false, MESSAGES.hint + (slip ?? sheet).hint];
}

// A text without the name of what is counted, where that would be read as a number: "3 quarters".
function uncounted(text, { counted }) {
  return counted ? text.replace(new RegExp(`(?<!\\p{L})${counted}s?(?!\\p{L})`, "giu"), " ") : text;
}

function judge(sheet, text) {
  if (!text.trim()) return [false, MESSAGES.empty];
  return sheet.kind === "words" ? judgeWords(sheet, text) : judgeNumbers(sheet, numbersIn(uncounted(text, sheet)));
}
