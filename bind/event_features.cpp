// bind/event_features.cpp: features of orientation events, and reordering models made of them.
#include "event_features.hpp"

#include "reorder/event_text.hpp"

namespace rosewood::bind {

namespace {

struct MakerHandle {
  In<std::int32_t> source_class, target_class;
  FeatureMaker maker;
};

using Templates = std::tuple<std::int32_t, bool, bool, bool, bool, int>;

EventTemplates templates_of(const Templates& from) {
  const auto& [window, sides, boundaries, source_edges, target_edges, symbols] = from;
  const EventTemplates made{window,       sides,        boundaries,
                            source_edges, target_edges, static_cast<FeatureSymbols>(symbols)};
  check_templates(made);
  return made;
}

auto arrays_of(const WordTable& words) {
  return std::tuple(
      to_numpy(std::vector<std::uint8_t>(words.bytes().begin(), words.bytes().end())),
      to_numpy(std::vector<std::int64_t>(words.start().begin(), words.start().end())));
}

void bind_features(nb::module_& m) {
  nb::class_<MakerHandle>(m, "EventFeatureMaker", "Makes the features of orientation events.")
      .def(
          "__init__",
          [](MakerHandle* self, const Templates& templates, In<std::int32_t> source_class,
             In<std::int32_t> target_class, std::int32_t unknown_source,
             std::int32_t unknown_target) {
            new (self) MakerHandle{
                source_class, target_class,
                FeatureMaker(templates_of(templates), {span_of(source_class), unknown_source},
                             {span_of(target_class), unknown_target})};
          },
          "templates"_a, "source_class"_a.noconvert(), "target_class"_a.noconvert(),
          "unknown_source"_a, "unknown_target"_a,
          "Templates are window, sides, boundaries, source edges, target edges, symbols.")
      .def(
          "keys",
          [](const MakerHandle& self, In<std::int64_t> sentence, In<std::int32_t> source_begin,
             In<std::int32_t> source_end, In<std::int32_t> target_begin,
             In<std::int32_t> target_end, In<std::int64_t> pair_start, In<std::int32_t> pair_source,
             In<std::int32_t> pair_target, In<std::int32_t> source, In<std::int32_t> target,
             In<std::int64_t> source_start, In<std::int64_t> target_start, int threads) {
            EventKeys made;
            {
              nb::gil_scoped_release released;
              made = event_keys({span_of(sentence), span_of(source_begin), span_of(source_end),
                                 span_of(target_begin), span_of(target_end), span_of(pair_start),
                                 span_of(pair_source), span_of(pair_target), span_of(source),
                                 span_of(target), span_of(source_start), span_of(target_start)},
                                self.maker, threads);
            }
            return std::pair(to_numpy(std::move(made.start)), to_numpy(std::move(made.key)));
          },
          "sentence"_a.noconvert(), "source_begin"_a.noconvert(), "source_end"_a.noconvert(),
          "target_begin"_a.noconvert(), "target_end"_a.noconvert(), "pair_start"_a.noconvert(),
          "pair_source"_a.noconvert(), "pair_target"_a.noconvert(), "source"_a.noconvert(),
          "target"_a.noconvert(), "source_start"_a.noconvert(), "target_start"_a.noconvert(),
          "threads"_a, "Where the keys of each event begin, and the keys.");
  nb::class_<FeatureCounts>(m, "FeatureCounts", "How often features occur.")
      .def(nb::init<>())
      .def("__len__", &FeatureCounts::size)
      .def(
          "add",
          [](FeatureCounts& self, In<std::uint64_t> keys, int threads) {
            self.add(span_of(keys), threads);
          },
          "keys"_a.noconvert(), "threads"_a, Release())
      .def(
          "kept",
          [](const FeatureCounts& self, std::int64_t min_count) {
            FeatureCounts::Kept kept;
            {
              nb::gil_scoped_release released;
              kept = self.kept(min_count);
            }
            return std::pair(to_numpy(std::move(kept.key)), to_numpy(std::move(kept.count)));
          },
          "min_count"_a, "Keys and counts, the most frequent first.");
  nb::class_<FeatureNumbers>(m, "FeatureNumbers", "Features by number.")
      .def(
          "__init__",
          [](FeatureNumbers* self, In<std::uint64_t> keys) {
            new (self) FeatureNumbers(span_of(keys));
          },
          "keys"_a.noconvert())
      .def(
          "rows",
          [](const FeatureNumbers& self, In<std::int64_t> start, In<std::uint64_t> keys,
             int threads) {
            if (start.size() == 0 ||
                start.data()[start.size() - 1] > static_cast<std::int64_t>(keys.size()))
              fail<ReorderingError>("argument.shape", "keys of events are out of range");
            EventRows made;
            {
              nb::gil_scoped_release released;
              made = number_keys(span_of(start), span_of(keys), self, threads);
            }
            return std::tuple(to_numpy(std::move(made.start)), to_numpy(std::move(made.feature)),
                              to_numpy(std::move(made.count)));
          },
          "start"_a.noconvert(), "keys"_a.noconvert(), "threads"_a,
          "Where the row of each event begins, feature numbers and counts.");
}

void bind_text(nb::module_& m) {
  nb::class_<EventTextReader>(m, "EventTextReader", "Reads orientation events from lines.")
      .def(nb::init<std::vector<std::string>>(), "classes"_a)
      .def(
          "read",
          [](EventTextReader& self, const std::vector<std::string_view>& lines) {
            TextEvents made;
            for (std::size_t n = 0; n < lines.size(); ++n) {
              const Reason reason = self.add(lines[n], made);
              if (!reason.empty())
                throw ReorderingError(Fault(reason.fault.code, reason.fault.argument, n),
                                      reason.text);
            }
            return std::tuple(
                to_numpy(std::move(made.orientation)), to_numpy(std::move(made.source_begin)),
                to_numpy(std::move(made.source_end)), to_numpy(std::move(made.target_end)),
                to_numpy(std::move(made.pair_start)), to_numpy(std::move(made.pair_source)),
                to_numpy(std::move(made.pair_target)), to_numpy(std::move(made.source)),
                to_numpy(std::move(made.target)), to_numpy(std::move(made.source_start)),
                to_numpy(std::move(made.target_start)));
          },
          "lines"_a, "The arrays of events, one of each line.")
      .def_prop_ro(
          "source_words",
          [](const EventTextReader& self) { return arrays_of(self.source_words()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "target_words",
          [](const EventTextReader& self) { return arrays_of(self.target_words()); },
          nb::rv_policy::automatic);
}

void bind_linear(nb::module_& m) {
  m.def(
      "plan_feature_slots",
      [](In<std::uint64_t> keys) {
        SlotPlan plan = plan_slots(span_of(keys));
        return std::pair(to_numpy(std::move(plan.slots)), to_numpy(std::move(plan.slot_of_key)));
      },
      "keys"_a.noconvert(), "Keys of the slots of a table, and the slot of each key.");
  nb::class_<LinearHandle>(m, "LinearReordering", "Log probabilities of orientations.")
      .def(
          "__init__",
          [](LinearHandle* self, std::size_t directions, std::size_t classes,
             In<std::uint64_t> slots, In<std::uint8_t> rows, int bits, std::vector<double> offset,
             std::vector<double> scale, std::vector<double> bias, std::vector<double> totals,
             std::size_t rounded, double step, const Templates& templates,
             In<std::uint8_t> source_bytes, In<std::int64_t> source_start,
             In<std::uint8_t> target_bytes, In<std::int64_t> target_start,
             In<std::int32_t> source_class, In<std::int32_t> target_class,
             std::int32_t unknown_source, std::int32_t unknown_target) {
            const auto text = [](const In<std::uint8_t>& bytes) {
              return std::span(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            };
            LinearParts parts{directions,
                              classes,
                              span_of(slots),
                              span_of(rows),
                              bits,
                              std::move(offset),
                              std::move(scale),
                              std::move(bias),
                              std::move(totals),
                              rounded,
                              step,
                              templates_of(templates),
                              text(source_bytes),
                              text(target_bytes),
                              span_of(source_start),
                              span_of(target_start),
                              span_of(source_class),
                              span_of(target_class),
                              unknown_source,
                              unknown_target};
            std::vector<nb::object> kept;
            for (const auto& each :
                 {nb::cast(slots), nb::cast(rows), nb::cast(source_bytes), nb::cast(source_start),
                  nb::cast(target_bytes), nb::cast(target_start), nb::cast(source_class),
                  nb::cast(target_class)})
              kept.push_back(each);
            new (self)
                LinearHandle{std::move(kept), std::make_unique<LinearReordering>(std::move(parts))};
          },
          nb::kw_only(), "directions"_a, "classes"_a, "slots"_a.noconvert(), "rows"_a.noconvert(),
          "bits"_a, "offset"_a, "scale"_a, "bias"_a, "totals"_a, "rounded"_a, "step"_a,
          "templates"_a, "source_bytes"_a.noconvert(), "source_start"_a.noconvert(),
          "target_bytes"_a.noconvert(), "target_start"_a.noconvert(), "source_class"_a.noconvert(),
          "target_class"_a.noconvert(), "unknown_source"_a, "unknown_target"_a)
      .def(
          "source_numbers",
          [](const LinearHandle& self, const std::vector<std::string_view>& words) {
            std::vector<std::int32_t> found;
            for (const auto word : words) found.push_back(self.model->source_word(word));
            return to_numpy(std::move(found));
          },
          "words"_a)
      .def(
          "target_numbers",
          [](const LinearHandle& self, const std::vector<std::string_view>& words) {
            std::vector<std::int32_t> found;
            for (const auto word : words) found.push_back(self.model->target_word(word));
            return to_numpy(std::move(found));
          },
          "words"_a)
      .def(
          "log_probabilities",
          [](const LinearHandle& self, In<std::int64_t> start, In<std::uint64_t> keys) {
            const std::size_t events = start.size() - 1;
            std::vector<double> out(events * self.model->width());
            {
              nb::gil_scoped_release released;
              LinearReordering::Sums sums;
              std::vector<FeatureKey> own;
              for (std::size_t n = 0; n < events; ++n) {
                own.assign(keys.data() + start.data()[n], keys.data() + start.data()[n + 1]);
                self.model->clear(sums);
                self.model->add(own, sums);
                self.model->finish(sums, out.data() + n * self.model->width());
              }
            }
            return to_numpy(std::move(out));
          },
          "start"_a.noconvert(), "keys"_a.noconvert(), "Rows of all events, one after the other.")
      .def(
          "weights",
          [](const LinearHandle& self, std::uint64_t key) {
            std::vector<double> row(self.model->width());
            if (!self.model->weights(key, row.data())) row.clear();
            return row;
          },
          "key"_a, "The weights of a feature; empty if the model does not have it.");
}

}  // namespace

void bind_event_features(nb::module_& m) {
  bind_features(m);
  bind_text(m);
  bind_linear(m);
}

}  // namespace rosewood::bind
